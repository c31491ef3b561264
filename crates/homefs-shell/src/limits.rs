//! What a script may use up.

use std::time::Duration;

use bashkit::{ExecutionLimits, MemoryLimits, SessionLimits};

/// Bounds on one call of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many commands it may run; a turn of a loop counts as one, too.
    pub commands: usize,
    /// How many bytes it may write to standard output, and as many to standard error.
    pub output_bytes: usize,
    /// How many bytes its variables, pipes and other things in between may hold at once.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            commands: 1_000_000,
            output_bytes: 1 << 20,
            memory_bytes: 256 << 20,
        }
    }
}

impl Limits {
    /// Returns the limits for a tool that a model calls: it reads no more, and waits no longer.
    pub fn of_tool() -> Self {
        Self {
            time: Duration::from_secs(10),
            commands: 100_000,
            output_bytes: 32 << 10,
            memory_bytes: 64 << 20,
        }
    }

    /// Returns what the engine checks itself.
    pub(crate) fn execution(&self) -> ExecutionLimits {
        ExecutionLimits::new()
            .timeout(self.time)
            .max_commands(self.commands)
            .max_loop_iterations(self.commands)
            .max_total_loop_iterations(self.commands)
            // This bounds what goes through a pipe, too; what a script prints is cut off elsewhere.
            .max_stdout_bytes(self.memory_bytes)
            .max_stderr_bytes(self.memory_bytes)
            .max_live_intermediate_bytes(self.memory_bytes as u64)
            .max_word_split_bytes(self.memory_bytes)
            .max_word_split_fields(self.commands)
            // Time and commands bound the work; counting it a second time only confuses.
            .max_work_units(u64::MAX / 2)
            .max_aggregate_input_bytes(u64::MAX / 2)
            .max_parser_operations(10_000_000)
    }

    /// Returns how much a session may keep between calls.
    pub(crate) fn memory(&self) -> MemoryLimits {
        MemoryLimits::new().max_total_variable_bytes(self.memory_bytes)
    }

    /// Returns the bounds of a whole session: none, since each call has its own.
    pub(crate) fn session() -> SessionLimits {
        SessionLimits::unlimited()
    }
}
