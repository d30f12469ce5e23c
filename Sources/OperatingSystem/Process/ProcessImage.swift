import CProcess
import Glibc

/// The program and the arguments with which this process was started; known without /proc.
package struct ProcessImage: Sendable {
    package let path: String
    /// With the name of the program, which is the first.
    package let arguments: [String]

    /// To be asked for at the start: a program that is replaced later has no name of its own any more.
    package static func ofThisProcess() -> ProcessImage {
        let arguments = (0..<trilateral_argument_count()).compactMap { index in
            trilateral_argument(index).map { String(cString: $0) }
        }
        return ProcessImage(
            path: realPath("/proc/self/exe") ?? executedPath ?? arguments.first ?? "trilateral",
            arguments: arguments
        )
    }

    /// The path with which the system was asked to execute this program.
    private static var executedPath: String? {
        trilateral_executed_path().flatMap { realPath(String(cString: $0)) }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
