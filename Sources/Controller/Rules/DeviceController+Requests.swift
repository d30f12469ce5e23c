// The requests of `B/request/<verb>`.

import Flare
import People
import Things

extension DeviceController {
    mutating func request(_ verb: Command.Verb, _ command: Command) {
        let pending = PendingCommand(command: command, subject: .verb(verb.name), target: nil)
        if let refusal = refusal(of: command, verb.kind) { return refuse(pending, refusal) }
        switch verb {
        case .ping:
            accept(pending)
        case .snapshot:
            effects.append(.resendState)
            accept(pending)
        case .reload:
            guard self.pending.canReload else {
                let message = "\(PendingCommands.capacity) reloads are waiting already"
                return refuse(pending, Refusal(.rateLimited, message))
            }
            if self.pending.append(reload: pending) { effects.append(.readConfiguration) }
        case .restart:
            // Answer first, because the process ends after the restart effect.
            accept(pending)
            effects.append(.restart)
        case .discovery:
            guard configuration.announces else {
                return refuse(
                    pending,
                    Refusal(
                        .notAllowed,
                        "discovery is switched off; allow it with discovery.enabled: true"
                    )
                )
            }
            effects.append(.announce)
            accept(pending)
        case .explain(let subject):
            // It names things, positions and commands of everybody.
            guard isAllowed(command, .read, on: .everything) else {
                return refuse(pending, Refusal(.notAllowed, "an explanation needs the right to read all"))
            }
            switch explain(subject, for: command) {
            case .success(let explanation): accept(pending, data: explanation.json)
            case .failure(let refusal): refuse(pending, refusal)
            }
        case .logLevel(let level):
            effects.append(.setLogLevel(level))
            accept(pending)
        case .refresh:
            guard state.isLinkUp else { return refuse(pending, unreachable) }
            guard self.pending.canRefresh else {
                let message = "\(PendingCommands.capacity) refreshes are waiting already"
                return refuse(pending, Refusal(.rateLimited, message))
            }
            core.load(.loadEnvironments(near: nil))
            guard let environment = state.environmentID else { return accept(pending) }
            let replies = core.load(.loadPlace(environment: environment))
            self.pending.append(
                PendingRefresh(environment: environment, pending: pending, replies: replies)
            )
            loadOrCreateDevice(in: environment)
        }
    }

    private func explain(
        _ subject: Explanation.Subject,
        for command: Command
    ) -> Result<Explanation, Refusal> {
        Explainer(
            state: state,
            configuration: configuration,
            presence: presence,
            queues: queues,
            journal: pending.journal,
            now: now
        ).explain(subject, for: command)
    }
}

extension Command.Verb {
    /// What it asks for, for policies.
    fileprivate var kind: ChangeRequest.Kind {
        switch self {
        case .ping, .snapshot: .ping
        case .refresh, .discovery: .control
        case .reload, .restart, .logLevel: .administer
        case .explain: .read
        }
    }

    /// The last level of `B/request/<verb>`.
    package var name: String {
        let name: Name =
            switch self {
            case .snapshot: .snapshot
            case .ping: .ping
            case .refresh: .refresh
            case .reload: .reload
            case .restart: .restart
            case .discovery: .discovery
            case .logLevel: .logLevel
            case .explain: .explain
            }
        return name.rawValue
    }
}
