import Accounts
import Administration
import Controller
import Flare
import Logging
import Settings
import Threading
import Web

extension Capability {
    /// Things with owners: onboarding, tokens, and their links to the place.
    static let bindings = Capability(
        name: "bindings",
        settings: .bindings,
        alerts: ["bindings-guessing", "edge-open"],
        inputs: { configuration in
            ConfigurationSection.bindings.keys.map { $0.encode(configuration) }
                + [configuration.hasOpenEdge]
        },
        commands: [.thingCommand],
        slices: { [BindingsSlice(seconds: $0.bindings.commandSeconds)] }
    ) { context in
        let settings = context.configuration.bindings
        let (send, logger) = (context.send, context.logger)
        let commands = PlaceCommands(send: send)
        let app = try settings.app()
        let service = try BindingService(
            .init(
                app: app,
                site: settings.site,
                owner: context.configuration.people.owner,
                commandSeconds: settings.commandSeconds,
                epoch: context.epoch,
                edge: settings.isEdge ? EdgeSettings(context) : nil
            ),
            context.accounts,
            context.administration,
            place: BindingPlace(
                on: context.loop,
                context.administration.place,
                commands,
                clock: context.clock,
                state: context.state
            ),
            logger: logger,
            report: { send(.alert("bindings-guessing", .warning, $0)) },
            send: send
        )
        var parts = CapabilityParts()
        if app != nil { parts.routes = WebRoute.thingIF(service) + WebRoute.thingIF(commands: service) }
        parts.localAnswers = [BindingsLocalAPI(service).answer]
        parts.answers = (PlaceCommands.actor, commands.receive)
        let notices = CommandNotices(
            context.accounts,
            publish: context.client.notices(context.topics, logger)
        )
        parts.observer = StateObserver(where: { change in
            change.part(of: StateChange.commandEnds) != nil || service.isConcerned(by: change)
        }) { snapshot in
            let slice = snapshot.state.slices[BindingsSlice.self]
            let ended = snapshot.changes.compactMap { change in
                change.part(of: StateChange.commandEnds).flatMap(slice.command)
            }
            if !ended.isEmpty { notices.send(of: ended.map(\.command), logger) }
            if ended.count < snapshot.changes.count { service.wake() }
        }
        parts.services = [DaemonService.untilShutdown("bindings") { await service.run() }]
        if settings.isEdge { parts.addEdge(service, context) } else { parts.endEdge(service) }
        return parts
    }
}

extension BindingService {
    /// Whether a change of the state may end a link, or give a binding its thing.
    fileprivate nonisolated func isConcerned(by change: StateChange) -> Bool {
        switch change {
        case .object(let object):
            object.kind == .thing && directory.entry(ofThing: object.id) != nil || directory.hasWaiting
        case .environment, .link: true
        case .zone: directory.hasWaiting
        default: false
        }
    }
}
