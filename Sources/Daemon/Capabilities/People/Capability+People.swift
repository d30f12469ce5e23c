import Accounts
import Administration
import Bridge
import Controller
import FlareServer
import Foundation
import HTTPListener
import HomeAssistant
import Logging
import Messages
import MQTT
import Settings
import Threading

extension Capability {
    /// Users and their rights: asked before everything else.
    static let people = Capability(
        name: "people",
        settings: .people,
        alerts: ["people", "people-log", "people-acl", "administration"],
        inputs: { configuration in
            ConfigurationSection.people.keys.map { $0.encode(configuration) }
                + [
                    configuration.discovery.prefix, configuration.mqtt.username,
                    configuration.hasThingUsers(),
                ]
        }
    ) { context in
        let accounts = context.accounts
        let (send, people, logger) = (context.send, context.configuration.people, context.logger)
        var parts = CapabilityParts()
        parts.policy = PeoplePolicy()
        parts.counters = { ["log_rows_dropped": accounts.droppedRows] }
        parts.services = [
            DaemonService.untilShutdown("people") {
                for problem in people.problems(among: accounts.table) {
                    logger.warning("\(problem)")
                    send(.alertRaised("people", .warning, message: problem))
                }
                await accounts.run { error in
                    if let error {
                        logger.error("the command log cannot be written", metadata: ["error": "\(error)"])
                    }
                    let problem = error.map { "The command log cannot be written: \($0)." }
                    send(.alert("people-log", .error, problem))
                }
            },
            DaemonService(name: "administration") {
                // Without its socket the daemon works, and says why nobody can administer it from here.
                do {
                    try await LocalSocketService(
                        administrationIn: URL(filePath: context.store.path).deletingLastPathComponent(),
                        bodyLimits: ModelAPI.bodyLimits.merging(RulesLocalAPI.bodyLimits) { max($0, $1) }
                            .merging(SurveyAPI.bodyLimits) { max($0, $1) },
                        logger: logger,
                        answers: context.localAnswers,
                        handler: { [administration = context.administration] in
                            await administration.answer($0)
                        }
                    ).run()
                } catch {
                    logger.error("users cannot be administered on the command line: \(error)")
                    let message =
                        "Verbs find no daemon here, and cannot change users, places and rules: \(error)."
                    send(.alertRaised("administration", .error, message: message))
                }
            },
        ]
        if let path = people.accessFile { parts.keepAccessFile(path, context) }
        return parts
    }
}

extension CapabilityParts {
    /// Adds what keeps `people.acl_file`.
    fileprivate mutating func keepAccessFile(_ path: String, _ context: CapabilityContext) {
        let (loop, state, send, logger) = (context.loop, context.state, context.send, context.logger)
        var list = AccessList(
            topics: context.topics,
            commands: context.commands,
            discoveryPrefix: context.configuration.discovery.prefix
        )
        list.users[.daemon] = context.configuration.mqtt.username
        let includesThings = context.configuration.hasThingUsers()
        let file = AccessFile(path, list, context.accounts, includesThings: includesThings) { problem in
            if let problem { logger.error("\(problem)") }
            send(.alert("people-acl", .error, problem))
        }
        let nodes = Locked<[String]>([])
        observer = StateObserver(where: { AccessFile.isConcerned(by: $0) || $0 == .devices }) { snapshot in
            // Where devices are, which changes all the time, does not concern the list, and which there are does.
            let listed = snapshot.state.nodes.keys.sorted()
            let hasOthers = nodes.withLock { last in
                defer { last = listed }
                return last != listed
            }
            if hasOthers || snapshot.changes.contains(where: AccessFile.isConcerned) { file.wake() }
        }
        service = { _, bridge in
            let ports = AccessFile.Ports {
                await withCheckedContinuation { continuation in
                    loop.perform {
                        let state = state()
                        let view = AccessFile.View(
                            place: AccessPlace(state),
                            isKnown: state.isPlaceKnown,
                            number: bridge.onExecutor { $0.accessNumber }
                        )
                        continuation.resume(returning: view)
                    }
                }
            } applied: { number in
                await bridge.accessListApplied(number)
            }
            return DaemonService.untilShutdown("people-acl") { await file.run(ports) }
        }
    }
}
