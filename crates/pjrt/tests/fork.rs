//! A client in a forked child. One test a process: `fork` copies only the calling thread.

mod support;

use pjrt::Error;
use support::*;

#[test]
fn a_forked_child_gets_an_error_and_does_not_hang() {
    let executable = compile(ADD);
    let a = send(&[1.0; 8]);
    let event = a.ready_event().unwrap();
    // SAFETY: the child only runs code that takes no lock of another thread, then leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let refused = matches!(client().check_process(), Err(Error::ForkedProcess { .. }))
            && matches!(plugin().create_client(&[]), Err(Error::ForkedProcess { .. }))
            && matches!(event.wait(), Err(Error::ForkedProcess { .. }))
            && matches!(a.copy_to_host(&mut [0; 32]), Err(Error::ForkedProcess { .. }))
            && matches!(executable.execute(&[&a, &a], Default::default(), &mut Default::default()), Err(Error::ForkedProcess { .. }));
        drop((event, a, executable));
        // SAFETY: ends the child without running handlers of the parent's libraries.
        unsafe { libc::_exit(if refused { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
    assert!(client().check_process().is_ok());
    assert_eq!(read(&run(&executable, &[&a, &a])[0]), [2.0; 8]);
}
