//! TORCH_PJRT_LOG=call,lower,compile,launch writes the stages' text to stderr.

use tracing_subscriber::EnvFilter;

/// Turns on the named stages. An empty list logs nothing.
pub(crate) fn start(stages: &str) {
    let directives: Vec<String> = stages.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| format!("{s}=trace")).collect();
    if directives.is_empty() {
        return;
    }
    let subscriber =
        tracing_subscriber::fmt().with_env_filter(EnvFilter::new(directives.join(","))).with_writer(std::io::stderr).without_time();
    // A host program that installed its own subscriber keeps it.
    let _ = subscriber.try_init();
}
