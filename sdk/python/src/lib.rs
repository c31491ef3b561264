//! Python's way into a home: module `homefs._homefs`.
//!
//! `Home` translates calls and answers and decides nothing. The choice a reader may question: the
//! lock of the interpreter is kept for what is answered from memory, because giving it back and
//! taking it again costs more than the call; everything else is done without it.
//! No thread of this crate ever takes that lock: what is answered later waits in a `Channel` until
//! the event loop fetches it, so that an interpreter that ends need not wait for a thread, and no
//! thread is caught in it.

mod arguments;
mod calls;
mod channel;
mod errors;
mod home;
mod methods;
mod records;

use pyo3::prelude::*;

/// Classes and functions of the module.
#[pymodule]
mod _homefs {
    #[pymodule_export]
    use crate::channel::{Channel, Ticket};
    #[pymodule_export]
    use crate::errors::error_kinds;
    #[pymodule_export]
    use crate::home::{Home, close_all};
    #[pymodule_export]
    use crate::methods::clone;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
