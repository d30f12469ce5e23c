import Glibc

/// The program that has started this process as a service and follows what it does, such as systemd.
///
/// It receives datagrams on a socket of its own, with one assignment a line.
/// - Source: sd_notify(3), sd_watchdog_enabled(3).
package final class ServiceSupervisor: Sendable {
    /// Something that the process says of itself.
    package enum Message: Sendable, Hashable {
        case ready
        /// With the monotonic time at which the reload began, microseconds.
        case reloading(since: UInt64)
        case stopping
        case watchdog
        /// One line for people.
        case status(String)

        /// As it stands in the datagram.
        package var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            // A second line would be another assignment.
            case .status(let line): "STATUS=\(String(line.map { $0.isNewline ? " " : $0 }))"
            }
        }
    }

    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    /// How long a supervisor that does not read is waited for, seconds.
    private static let patience = 1

    /// The longest time between two messages ``Message/watchdog``; `nil` if the supervisor does not watch.
    package let watchdogTimeout: Duration?
    /// The supervisor's variables, as they were.
    private let variables: [String: String]
    private let address: [UInt8]
    private let descriptor: Int32

    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - processID: The process that the supervisor may have meant.
    /// - Returns: `nil` if no supervisor wants to know, or it cannot be reached by this process.
    package init?(_ environment: [String: String], processID: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], let address = Self.address(of: path) else {
            return nil
        }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var time = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        self.address = address
        variables = environment.filter { Self.variables.contains($0.key) }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let timeout = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogTimeout = isMeant && timeout > 0 ? .microseconds(timeout) : nil
    }

    deinit { close(descriptor) }

    /// That of this process, whose variables it takes away: programs that this one starts have nothing to report to it.
    package static func ofThisProcess() -> ServiceSupervisor? {
        var environment: [String: String] = [:]
        for name in variables {
            environment[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        return ServiceSupervisor(environment)
    }

    /// Gives the variables back, for the same program that is started again in this process.
    package func restoreVariables() {
        for (name, value) in variables { setenv(name, value, 1) }
    }

    /// - Parameter waits: Whether a supervisor that does not read is waited for, for a second.
    /// - Returns: Whether the supervisor has all of it.
    @discardableResult
    package func send(_ messages: [Message], waits: Bool = true) -> Bool {
        let bytes = Array(messages.map(\.text).joined(separator: "\n").utf8)
        while true {
            let count = address.withUnsafeBytes { address in
                sendto(
                    descriptor,
                    bytes,
                    bytes.count,
                    Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT)),
                    address.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    socklen_t(address.count)
                )
            }
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }

    /// The present monotonic time, microseconds.
    package static var monotonicTime: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(clamping: now.tv_sec) &* 1_000_000 &+ UInt64(clamping: now.tv_nsec / 1000)
    }

    /// The bytes of a `sockaddr_un`; a name that begins with `@` is one without a file.
    private static func address(of path: String) -> [UInt8]? {
        var name = Array(path.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"), name.count > 1,
            name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        if isAbstract { name[0] = 0 } else { name.append(0) }
        return withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + name
    }
}
