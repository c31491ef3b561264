//! What the kernel and the mount agree on before the first call.

use std::io;
use std::time::Duration;

use fuser::{InitFlags, KernelConfig};

/// Most bytes of one write of the kernel.
const WRITE_BYTES_MAX: u32 = 1 << 20;
/// Most calls that the kernel has under way in the background, such as reading ahead.
const BACKGROUND_MAX: u16 = 64;

/// Sets up the connection, of a mount with special bits or without.
pub(crate) fn set_up(config: &mut KernelConfig, special: bool) -> io::Result<()> {
    // Opening and closing cost no call; cutting at opening then comes as a call of its own, which
    // the flag FUSE_ATOMIC_O_TRUNC would take away.
    let usual = [
        InitFlags::FUSE_NO_OPEN_SUPPORT,
        InitFlags::FUSE_NO_OPENDIR_SUPPORT,
        InitFlags::FUSE_PARALLEL_DIROPS,
        InitFlags::FUSE_DO_READDIRPLUS,
        InitFlags::FUSE_READDIRPLUS_AUTO,
        InitFlags::FUSE_CACHE_SYMLINKS,
        InitFlags::FUSE_EXPLICIT_INVAL_DATA,
        InitFlags::FUSE_ASYNC_READ,
        InitFlags::FUSE_BIG_WRITES,
    ];
    // Who writes a file takes its setuid and setgid away. Where there are none, to say that the mount
    // sees to it saves the kernel a question before every write. Where there are, the kernel must do
    // it, because it does not hear what the mount does meanwhile and would go on with what it knows.
    let handled = (!special).then_some(InitFlags::FUSE_HANDLE_KILLPRIV_V2);
    for flag in usual.into_iter().chain(handled) {
        if config.add_capabilities(flag).is_err() {
            tracing::debug!(?flag, "the kernel does not offer a flag");
        }
    }
    let refused = |what: &str| io::Error::other(format!("the kernel refuses {what}"));
    config.set_max_write(WRITE_BYTES_MAX).map_err(|_| refused("long writes"))?;
    config.set_max_background(BACKGROUND_MAX).map_err(|_| refused("reading ahead"))?;
    let nanosecond = Duration::from_nanos(1);
    config.set_time_granularity(nanosecond).map_err(|_| refused("times in nanoseconds"))?;
    Ok(())
}
