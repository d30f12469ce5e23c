import CProcess
import Glibc
import OperatingSystem

/// Asks for the program to be started again, once everything has ended; see ``ProcessEnd/restart(_:)``.
struct RestartRequest: Error {}

/// The one way in which this process ends, whatever the verb: commands return or throw, and never call `exit`.
///
/// By then services are stopped, threads joined and databases closed, and output is written: ``StandardOutput`` keeps
/// none back. The exit handlers of the libraries are skipped: OpenSSL's, for one, frees what a thread of the system's
/// pools may still use. The buffers of the C library are not written either: that would wait for a thread that reads
/// the terminal.
enum ProcessEnd {
    static func exit(_ code: Int32) -> Never {
        TemporaryFolder.removeAll()
        _exit(code)
    }

    /// Ends as the signal by itself would end it.
    static func exit(by number: Int32) -> Never {
        TemporaryFolder.removeAll()
        signal(number, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        raise(number)
        _exit(128 + number)
    }

    /// Becomes the same program again: same process id, arguments and environment.
    static func restart(_ image: ProcessImage) -> Never {
        // The new one opens what it needs; nothing of ours may stay open in it.
        trilateral_close_on_exec_from(3)
        // From here on a signal ends the process; one that came before must not be lost either.
        for number in [SIGHUP, SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if SignalPipe.isEndWanted { _exit(0) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = image.arguments.map { strdup($0) }
        arguments.append(nil)
        execv(image.path, arguments)
        let reason = systemMessage(errno)
        StandardError.print("trilateral: \(image.path) cannot be started again: \(reason)")
        _exit(71)
    }
}
