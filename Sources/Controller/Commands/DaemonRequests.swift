import Flare
package import JSON
import Text
package import Things

/// A command on `request/<verb>`.
package protocol DaemonRequest: CommandOperation {
    static var verb: String { get }
}

extension DaemonRequest {
    package var subject: Answer.Subject { .verb(Self.verb) }
    package var logName: String { Self.verb }
    package var logValues: JSONValue? { nil }
    package var summary: CommandSummary? { CommandSummary("request \(Self.verb)") }

    /// The descriptor of a request without members.
    fileprivate func descriptor() -> CommandDescriptor {
        CommandDescriptor(verb: Self.verb) { _, payload throws(Refusal) in
            try payload.membersOnly().finish()
            return self
        }
    }
}

/// Answers, with version and uptime.
package struct Ping: DaemonRequest {
    package static let verb = "ping"
    package var permission: ChangeRequest.Kind? { .ping }
    package var onlyReads: Bool { true }

    package func perform(_ command: inout PendingCommand, in controller: inout DeviceController) {
        controller.accept(command)
    }
}

/// Publishes the state again.
package struct ResendState: DaemonRequest {
    package static let verb = "snapshot"
    package var permission: ChangeRequest.Kind? { .ping }
    package var onlyReads: Bool { true }

    package func perform(_ command: inout PendingCommand, in controller: inout DeviceController) {
        controller.effects.append(.resendState)
        controller.accept(command)
    }
}

/// Reads environments, place and device from the server again.
package struct RefreshPlace: DaemonRequest {
    package static let verb = "refresh"
    package var permission: ChangeRequest.Kind? { .place }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        try controller.needLink()
        guard controller.pending.canRefresh else {
            throw Refusal(.rateLimited, "\(PendingCommands.capacity) refreshes are waiting already")
        }
        controller.core.load(.loadEnvironments(near: nil))
        guard let environment = controller.state.environmentID else { return controller.accept(command) }
        let replies = controller.core.load(.loadPlace(environment: environment))
        controller.pending.append(
            PendingRefresh(environment: environment, pending: command, replies: replies)
        )
        controller.loadOrCreateDevice(in: environment)
    }
}

/// Reads the configuration again.
package struct ReloadConfiguration: DaemonRequest {
    package static let verb = "reload"
    package var permission: ChangeRequest.Kind? { .administer }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        guard controller.pending.canReload else {
            throw Refusal(.rateLimited, "\(PendingCommands.capacity) reloads are waiting already")
        }
        if controller.pending.append(reload: command) { controller.effects.append(.readConfiguration) }
    }
}

/// Shuts down gracefully, then starts the program again in the same way.
package struct Restart: DaemonRequest {
    package static let verb = "restart"
    package var permission: ChangeRequest.Kind? { .administer }

    package func perform(_ command: inout PendingCommand, in controller: inout DeviceController) {
        // Answer first, because the process ends after the restart effect.
        controller.accept(command)
        controller.effects.append(.restart)
    }
}

/// Publishes Home Assistant discovery again.
package struct Announce: DaemonRequest {
    package static let verb = "discovery"
    package var permission: ChangeRequest.Kind? { .control }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        guard controller.configuration.announces else {
            throw Refusal(
                .notAllowed,
                "discovery is switched off; allow it with discovery.enabled: true"
            )
        }
        controller.effects.append(.announce)
        controller.accept(command)
    }
}

/// Changes the level of the log.
package struct SetLogLevel: DaemonRequest {
    package static let verb = "loglevel"
    let level: String

    package var permission: ChangeRequest.Kind? { .administer }
    package var logValues: JSONValue? { ["level": .string(level)] }

    package func perform(_ command: inout PendingCommand, in controller: inout DeviceController) {
        controller.effects.append(.setLogLevel(level))
        controller.accept(command)
    }
}

extension CommandDescriptor {
    package static let ping = Ping().descriptor()
    package static let snapshot = ResendState().descriptor()
    package static let refresh = RefreshPlace().descriptor()
    package static let reload = ReloadConfiguration().descriptor()
    package static let restart = Restart().descriptor()
    package static let discovery = Announce().descriptor()

    /// A level of swift-log, as a word or as the member `level`.
    package static let logLevel = CommandDescriptor(verb: SetLogLevel.verb) { _, payload throws(Refusal) in
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        let level = try payload.word(named: "level").lowercased()
        guard levels.contains(level) else {
            throw Refusal(
                .invalidValue,
                "level must be one of \(QuotedValue.list(levels)) (is \(QuotedValue.of(level)))",
                field: "level"
            )
        }
        return SetLogLevel(level: level)
    }
}
