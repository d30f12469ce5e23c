import Accounts
import Administration
import Controller
import Flare
import Foundation
import Logging
import ServiceLifecycle
import Settings
import Things
import Threading
import Web

/// The service of rules and their notifier, as long as the daemon runs: a reload neither forgets what rules have seen, nor
/// asks them again.
final class KeptRules: PreparingService {
    let service: RuleService
    /// Those from the broker.
    let commands: RuleCommands
    let notifier: RuleNotifier
    /// Those of the capability of bindings, which a reload may replace.
    private let directory: Locked<BindingDirectory?>
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger
    /// Ends when the engine has the stored rules.
    private let beginning: AsyncStream<Void>
    private let began: AsyncStream<Void>.Continuation

    init(_ context: CapabilityContext) {
        let directory = Locked<BindingDirectory?>(nil)
        let settings = context.configuration.rules
        let node = NodeRules(
            on: context.loop,
            send: context.send,
            clock: context.clock,
            state: context.state
        )
        let ports = RulePorts(
            on: context.loop,
            context.administration.place,
            bound: { name in directory.withLock { $0 }?.entry(named: name)?.thing },
            engine: RuleEnginePort(node),
            state: context.state
        )
        service = RuleService(
            RuleService.Settings(owner: context.configuration.people.owner, epoch: context.epoch),
            context.accounts,
            ports,
            calendars: RuleCalendars(
                TimeZoneDatabase(ProcessInfo.processInfo.environment),
                configured: settings.timeZone
            ),
            logger: context.logger
        )
        commands = RuleCommands(node)
        let (send, clock) = (context.send, context.clock)
        notifier = RuleNotifier(
            context.accounts,
            RuleNotifier.Ports(
                outbox: context.outbox,
                show: { send(Banners.event(.shown($0))) },
                steady: { clock().steadyMilliseconds }
            ),
            perHour: settings.notificationsPerHour
        )
        (self.directory, self.send, logger) = (directory, send, context.logger)
        (beginning, began) = AsyncStream.makeStream()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [service, notifier, commands, send, logger, began] in
            async let sent: Void = notifier.run()
            do {
                try await service.begin()
            } catch {
                logger.error("the rules cannot be read, and none runs", metadata: ["error": "\(error)"])
                let message = "The rules cannot be read, and none runs: \(error)."
                send(.alertRaised("rules-unread", .error, message: message))
            }
            began.finish()
            async let answers: Void = commands.run(service)
            await service.run()
            await answers
            await sent
        }
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
    }

    /// A write before the engine has the rules would start none of them.
    func prepared() async { for await _ in beginning {} }

    // MARK: Capabilities

    /// Follows other settings from now on.
    func use(_ settings: RulesConfiguration) async {
        notifier.use(perHour: settings.notificationsPerHour)
        await service.use(settings)
    }

    /// The routes of triggers of things with owners.
    func triggers(of bindings: BindingService) -> [WebRoute] {
        WebRoute.thingIF(triggers: RuleTriggers(service, bindings))
    }

    /// Follows other bindings from now on.
    func use(_ bindings: BindingService) { directory.withLock { $0 = bindings.directory } }

    /// What the capability of rules adds for those who make and see them.
    func add(to parts: inout CapabilityParts) {
        let api = RulesLocalAPI(service)
        parts.routes += WebRoute.rules { await api.answer($0, by: $1, from: $2) }
        parts.localAnswers.append { await api.answer($0) }
    }

    /// An observer that also wakes the service when rights, profiles or the calendar may be others.
    func observer(beside other: StateObserver?) -> StateObserver {
        let sights = Locked<[FlareID: SightOfThing]>([:])
        return StateObserver { [service] snapshot in
            other?.observe(snapshot)
            guard service.hasRules else { return }
            // All of them are looked at: what is not noted now would count as new with its next value.
            let isConcerned = snapshot.changes.reduce(false) { isConcerned, change in
                let isThisOne =
                    switch change {
                    case .environment: true
                    case .object(let object) where object.kind == .thing:
                        // Most changes of things are those of their values.
                        sights.withLock { $0.isNew(object.id, in: snapshot.state) }
                    case .object(let object): object.kind != .device
                    case .zone, .nearby, .device, .devices, .occupancy, .position, .angle, .location, .sensor,
                        .alert, .link, .beacon, .slice:
                        false
                    }
                return isConcerned || isThisOne
            }
            if isConcerned { service.wake() }
        }
    }
}

/// What rights and flags follow from of a thing.
private struct SightOfThing: Sendable, Hashable {
    let zone: FlareID?
    let kind: ThingKind?
}

extension [FlareID: SightOfThing] {
    /// Whether a thing is another one than it was, as far as that matters.
    fileprivate mutating func isNew(_ id: FlareID, in state: ControllerState) -> Bool {
        let sight = state.things[id].map { SightOfThing(zone: $0.zone, kind: state.kind(of: $0)) }
        defer { self[id] = sight }
        return self[id] != sight
    }
}

extension CapabilityContext {
    /// The service of rules, which is made when it is asked for first.
    var rules: KeptRules { kept.service { KeptRules(self) } }
}
