//! Faults to order from the files of `SQLite`: which of its calls to the disk fail, and how.
//!
//! A file that `SQLite` opens has a table of the functions that work on it. For files below a
//! directory that a test names, that table is replaced by one whose functions ask here first. All
//! other files of the process are left alone.
#![expect(unsafe_code, reason = "the files of SQLite are tables of C functions")]

use std::ffi::{CStr, c_int, c_void};
use std::path::{Path as HostPath, PathBuf};
use std::sync::Once;

use parking_lot::Mutex;
use rusqlite::ffi;

/// How calls fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqliteFault {
    /// The disk is full; what needs no room works.
    Full,
    /// The disk fails.
    Broken,
}

/// Faults of the files below one directory; they end when this is dropped.
#[derive(Debug)]
pub struct SqliteFaults {
    dir: PathBuf,
}

/// What is ordered for a directory.
struct Rule {
    dir: PathBuf,
    calls: u64,
    failing: Option<(u64, SqliteFault)>,
}

static RULES: Mutex<Vec<Rule>> = Mutex::new(Vec::new());

impl SqliteFaults {
    /// Counts calls to the files that are opened below a directory from now on.
    pub fn below(dir: &HostPath) -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(install);
        let dir = dir.to_owned();
        RULES.lock().push(Rule { dir: dir.clone(), calls: 0, failing: None });
        Self { dir }
    }

    /// Returns how many calls were made that could have failed.
    pub fn calls(&self) -> u64 {
        self.rule(|rule| rule.calls)
    }

    /// Makes the `nth` call from now on and all after it fail; 1 is the next one.
    pub fn fail(&self, nth: u64, how: SqliteFault) {
        self.rule(|rule| rule.failing = Some((rule.calls + nth, how)));
    }

    /// Makes all calls work again; tells whether one has failed.
    pub fn heal(&self) -> bool {
        self.rule(|rule| rule.failing.take().is_some_and(|(nth, _)| rule.calls >= nth))
    }

    fn rule<T>(&self, work: impl FnOnce(&mut Rule) -> T) -> T {
        let mut rules = RULES.lock();
        let rule = rules.iter_mut().find(|rule| rule.dir == self.dir);
        work(rule.expect("the rule is there until it is dropped"))
    }
}

impl Drop for SqliteFaults {
    fn drop(&mut self) {
        RULES.lock().retain(|rule| rule.dir != self.dir);
    }
}

/// Counts a call to a file; returns how it fails, if it does.
fn meet(path: &HostPath, needs_room: bool) -> Option<SqliteFault> {
    let mut rules = RULES.lock();
    let rule = rules.iter_mut().find(|rule| path.starts_with(&rule.dir))?;
    rule.calls += 1;
    let (nth, how) = rule.failing?;
    (rule.calls >= nth && (needs_room || how == SqliteFault::Broken)).then_some(how)
}

/// A table of functions in the place of another, and whose file it is for.
#[repr(C)]
struct Replaced {
    methods: ffi::sqlite3_io_methods,
    real: *const ffi::sqlite3_io_methods,
    path: PathBuf,
}

/// Puts a way to open files before that of the host.
fn install() {
    // SAFETY: `SQLite` hands out a description that lives as long as the process; the copy does
    // too, since it is leaked, and differs in the name, its predecessor and how files are opened.
    unsafe {
        let host = ffi::sqlite3_vfs_find(std::ptr::null());
        assert!(!host.is_null(), "SQLite has a way to open files");
        let mut own = *host;
        own.zName = c"homefs-faults".as_ptr();
        own.pAppData = host.cast::<c_void>();
        own.xOpen = Some(open);
        // The host's way finds itself by what it is handed, which stays the host's.
        let registered = ffi::sqlite3_vfs_register(Box::into_raw(Box::new(own)), 1);
        assert_eq!(registered, ffi::SQLITE_OK);
    }
}

/// Opens a file of the host, and replaces its functions if a rule is about it.
unsafe extern "C" fn open(
    own: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: the arguments are those that `SQLite` promises to whoever opens files, and are
    // handed on as they came; `pAppData` is the host's own description.
    unsafe {
        let host = (*own).pAppData.cast::<ffi::sqlite3_vfs>();
        let open = (*host).xOpen.expect("the host opens files");
        let path = if name.is_null() {
            PathBuf::new()
        } else {
            PathBuf::from(CStr::from_ptr(name).to_string_lossy().into_owned())
        };
        let is_concerned = RULES.lock().iter().any(|rule| path.starts_with(&rule.dir));
        if is_concerned && meet(&path, false).is_some() {
            (*file).pMethods = std::ptr::null();
            return ffi::SQLITE_CANTOPEN;
        }
        let opened = open(host, name, file, flags, out);
        if opened == ffi::SQLITE_OK && is_concerned && !(*file).pMethods.is_null() {
            let real = (*file).pMethods;
            let mut methods = *real;
            methods.iVersion = methods.iVersion.min(2);
            methods.xWrite = Some(write);
            methods.xSync = Some(sync);
            methods.xTruncate = Some(truncate);
            // Leaked: a file that a test opens is small, and `SQLite` frees none of it.
            (*file).pMethods =
                Box::into_raw(Box::new(Replaced { methods, real, path })).cast::<_>();
        }
        opened
    }
}

/// Returns what the functions of a file were replaced by.
///
/// # Safety
/// The file's functions must have been replaced by [`open`].
unsafe fn replaced<'f>(file: *mut ffi::sqlite3_file) -> &'f Replaced {
    // SAFETY: `open` has put it there, the table is its first field, and it is never freed.
    unsafe { &*(*file).pMethods.cast::<Replaced>() }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: only files whose functions were replaced have this one; the rest is handed on.
    unsafe {
        let Replaced { real, path, .. } = replaced(file);
        match meet(path, true) {
            Some(SqliteFault::Full) => ffi::SQLITE_FULL,
            Some(SqliteFault::Broken) => ffi::SQLITE_IOERR_WRITE,
            None => (**real).xWrite.expect("a file is written")(file, bytes, count, offset),
        }
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as for `write`.
    unsafe {
        let Replaced { real, path, .. } = replaced(file);
        match meet(path, false) {
            Some(_) => ffi::SQLITE_IOERR_FSYNC,
            None => (**real).xSync.expect("a file is synced")(file, flags),
        }
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    // SAFETY: as for `write`.
    unsafe {
        let Replaced { real, path, .. } = replaced(file);
        match meet(path, false) {
            Some(_) => ffi::SQLITE_IOERR_TRUNCATE,
            None => (**real).xTruncate.expect("a file is cut")(file, size),
        }
    }
}
