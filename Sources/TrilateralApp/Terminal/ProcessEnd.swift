import Foundation

/// Asks for the program to be started again, once everything has ended; see ``ProcessEnd/restart(_:)``.
struct RestartRequest: Error {}

/// The program and the arguments with which this process was started.
struct ProcessImage: Sendable {
    let path: String
    let arguments: [String]

    /// To be asked for at the start: a program that is replaced later has no name of its own any more.
    static func ofThisProcess() -> ProcessImage {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = target ?? CommandLine.arguments.first ?? "trilateral"
        return ProcessImage(path: path, arguments: CommandLine.arguments)
    }
}

/// The one way in which this process ends, whatever the verb: commands return or throw, and never call `exit`.
///
/// By then services are stopped, threads joined and databases closed. The exit handlers of the libraries are skipped: OpenSSL's, for
/// one, frees what a thread of the system's pools may still use.
enum ProcessEnd {
    static func exit(_ code: Int32) -> Never {
        flush()
        _exit(code)
    }

    /// Writes what `print` has kept back, unless the reader has stopped reading.
    private static func flush() {
        var wait = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
        if poll(&wait, 1, 1000) > 0 { fflush(nil) }
    }

    /// Becomes the same program again: same process id, arguments and environment.
    static func restart(_ image: ProcessImage) -> Never {
        flush()
        // The new one opens what it needs; nothing of ours may stay open in it.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        // From here on a signal ends the process; one that came before must not be lost either.
        for number in [SIGHUP, SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if SignalPipe.isEndWanted { _exit(0) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = image.arguments.map { strdup($0) }
        arguments.append(nil)
        execv(image.path, arguments)
        let reason = String(cString: strerror(errno))
        StandardError.print("trilateral: \(image.path) cannot be started again: \(reason)")
        _exit(71)
    }
}
