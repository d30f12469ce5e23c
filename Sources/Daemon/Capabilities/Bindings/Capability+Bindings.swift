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
        alerts: ["bindings-guessing", "edge-open", ThingRecords.alert],
        inputs: { configuration in
            ConfigurationSection.bindings.keys.map { $0.encode(configuration) }
                + [configuration.hasOpenEdge]
        },
        commands: [.thingCommand],
        slices: { [BindingsSlice(seconds: $0.bindings.commandSeconds)] },
        secrets: { [$0.bindings.keyText] },
        hasThingUsers: { $0.bindings.isEdge }
    ) { context in
        let settings = context.configuration.bindings
        let (send, logger) = (context.send, context.logger)
        let commands = PlaceCommands(send: send)
        let app = try settings.app()
        let records = try context.kept.service {
            let records = try ThingRecords(
                context.accounts.store,
                history: context.store.historyPath,
                settings.history,
                clock: { [clock = context.clock] in clock().wallMilliseconds },
                send: send,
                logger: logger
            )
            context.databases.add(.history, perform: records.perform)
            context.databases.beforeCopies { records.states.flush() }
            return records
        }
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
            records: records,
            logger: logger,
            report: { send(.alert("bindings-guessing", .warning, $0)) },
            send: send
        )
        var parts = CapabilityParts()
        context.rules.use(service)
        let api = BindingsLocalAPI(service)
        parts.routes = WebRoute.bindings { await api.answer($0, by: $1, from: $2) }
        parts.routes.append(WebRoute.thingHistory { await service.history($0, ofThing: $1, for: $2) })
        if app != nil {
            parts.routes += WebRoute.thingIF(service) + WebRoute.thingIF(commands: service)
            parts.routes += WebRoute.thingIF(states: service) + context.rules.triggers(of: service)
        }
        parts.localAnswers = [{ await api.answer($0) }]
        parts.answers = (PlaceCommands.actor, commands.receive)
        let notices = CommandNotices(context.accounts, publish: context.outbox.notices())
        parts.observer = StateObserver(where: { change in
            change.part(of: StateChange.commandEnds) != nil || service.isConcerned(by: change)
        }) { snapshot in
            let slice = snapshot.state.slices[BindingsSlice.self]
            let ended = snapshot.changes.compactMap { change in
                change.part(of: StateChange.commandEnds).flatMap(slice.command)
            }
            if !ended.isEmpty { notices.send(of: ended.map(\.command), logger) }
            service.followStates(snapshot)
            let isOfPlace = ended.count < snapshot.changes.count
            if isOfPlace, service.isPlaceConcerned(by: snapshot) { service.wake() }
        }
        parts.services = [
            DaemonService.untilShutdown("bindings") {
                await records.use(settings.history)
                await service.run()
            }
        ]
        if settings.isEdge { parts.addEdge(service, context) } else { parts.endEdge(service) }
        return parts
    }
}

extension BindingService {
    /// Whether a change of the state may be a thing's own, end a link, or give a binding its thing.
    fileprivate nonisolated func isConcerned(by change: StateChange) -> Bool {
        switch change {
        case .object(let object): object.kind == .thing && directory.has(object.id) || directory.hasWaiting
        case .environment, .link: true
        case .zone: directory.hasWaiting
        default: false
        }
    }

    /// Whether links may be others after changes, and not only what things say.
    fileprivate nonisolated func isPlaceConcerned(by snapshot: StateSnapshot) -> Bool {
        directory.hasWaiting
            || snapshot.changes.contains { change in
                if case .object(let object) = change { snapshot.state.things[object.id] == nil } else { true }
            }
    }
}
