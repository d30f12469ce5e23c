import Daemon
package import OperatingSystem
package import Settings

/// Whether the addresses of the listeners are free, or the daemon's.
package struct PortFacts: Sendable {
    package static let check = "ports"

    /// An address that the configuration has the daemon listen on.
    package struct Listener: Sendable {
        /// The key of the configuration.
        package var key: String
        package var address: HostAndPort
        package var finding: ListeningPort.Finding
        /// Whether the daemon that runs listens there; `nil` if this user may not know.
        package var isOurs: Bool?
        /// The program that listens there, if it is another one.
        package var other: String?

        package init(
            _ key: String,
            _ address: HostAndPort,
            _ finding: ListeningPort.Finding,
            isOurs: Bool? = nil,
            other: String? = nil
        ) {
            (self.key, self.address, self.finding) = (key, address, finding)
            (self.isOurs, self.other) = (isOurs, other)
        }
    }

    package var isRunning = false
    package var listeners: [Listener] = []

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard !listeners.isEmpty else { return [DoctorVerdict(Self.check, .ok, "no listener is configured")] }
        return listeners.map(verdict)
    }

    private func verdict(_ listener: Listener) -> DoctorVerdict {
        let place = "\(listener.address) (\(listener.key))"
        func problem(_ text: String, _ advice: String) -> DoctorVerdict {
            DoctorVerdict(Self.check, .problem, text, advice: advice)
        }
        switch (listener.finding, listener.isOurs) {
        case (.impossible(let reason), _):
            return problem(
                "nobody can listen on \(place): \(reason)",
                "correct \(listener.key): an address of this machine, and a port from 1024 on"
            )
        case (.free, _) where isRunning:
            return problem(
                "the daemon does not listen on \(place)",
                "trilateral get alerts says why; a changed configuration needs a reload"
            )
        case (.free, _): return DoctorVerdict(Self.check, .ok, "\(place) is free")
        case (.taken, true?): return DoctorVerdict(Self.check, .ok, "the daemon listens on \(place)")
        case (.taken, nil) where isRunning:
            return DoctorVerdict(
                Self.check,
                .hint,
                "somebody listens on \(place), which is probably the daemon",
                advice: "run it with sudo to be sure"
            )
        case (.taken, _):
            return problem(
                "\(listener.other ?? "another program") listens on \(place)",
                "end it, or choose another \(listener.key)"
            )
        }
    }

    static func gathered(_ context: DoctorContext) -> PortFacts {
        var facts = PortFacts()
        facts.isRunning = context.daemon != nil
        let values = context.values
        var wanted: [(String, HostAndPort)] = []
        if let web = values.web.listen { wanted.append(("web.listen", web)) }
        if values.flare.isServing { wanted.append(("flare.server.listen", values.flare.listen)) }
        if values.resolver.isEnabled { wanted += values.resolver.listen.map { ("resolver.listen", $0) } }
        let own = context.daemon.flatMap { ProcessTable.sockets(of: $0.processID) }
        // Port 0 is any free one.
        facts.listeners = wanted.filter { $0.1.port > 0 }.map { key, address in
            let finding = ListeningPort.finding(host: address.host, port: address.port)
            guard finding == .taken else { return Listener(key, address, finding) }
            let sockets = ListeningPort.sockets(on: address.port)
            if let own, !own.isDisjoint(with: sockets) {
                return Listener(key, address, finding, isOurs: true)
            }
            let holder = ProcessTable.owner(ofSockets: sockets)
            let other = holder.map { "\(ProcessTable.name(of: $0) ?? "a program") (process \($0))" }
            // Whose the sockets are may be closed to this user.
            let isKnown = context.daemon == nil || own != nil || holder != nil
            return Listener(key, address, finding, isOurs: isKnown ? false : nil, other: other)
        }
        return facts
    }
}
