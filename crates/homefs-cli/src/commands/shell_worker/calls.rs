//! The system calls that a worker may make: those of threads, memory, time and open descriptors.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter,
};

/// Calls that are allowed whatever their arguments are.
const ALLOWED: &[i64] = &[
    // Descriptors that are open.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_shutdown,
    libc::SYS_close,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_ppoll,
    // Memory.
    libc::SYS_mmap,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    // Threads.
    libc::SYS_clone3,
    libc::SYS_futex,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_membarrier,
    // Signals, which end a process that overflows its stack.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Time and chance.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_uname,
];

/// The same for calls that only some machines have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[i64] = &[libc::SYS_poll, libc::SYS_epoll_wait, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[];

/// Refuses every other call, for this thread and those that it starts.
pub(super) fn filter() -> Result<(), Error> {
    let arch = std::env::consts::ARCH.try_into()?;
    // A thread is a clone with certain flags, which a filter can only see in the older call: the
    // newer one is said not to be there, and the library then uses the older.
    let newer = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let absent = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    let newer = SeccompFilter::new(newer, SeccompAction::Allow, absent, arch)?;
    let allowed = ALLOWED.iter().chain(ALLOWED_HERE);
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> =
        allowed.map(|call| (*call, Vec::new())).collect();
    let flags = u64::from(libc::CLONE_THREAD.cast_unsigned());
    let is_thread =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flags), flags)?;
    allowed.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_thread])?]);
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let allowed = SeccompFilter::new(allowed, refused, SeccompAction::Allow, arch)?;
    for filter in [newer, allowed] {
        apply_filter(&BpfProgram::try_from(filter)?)?;
    }
    Ok(())
}
