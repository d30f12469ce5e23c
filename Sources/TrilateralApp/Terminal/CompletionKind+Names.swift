import ArgumentParser
import Controller
import Daemon
import Flare
import Foundation
import JSON
import MQTT
import People
import Settings

/// Names that a shell offers while somebody types.
///
/// Whatever goes wrong, there are none: a shell has no place for a message, and a person who types does not wait.
extension CompletionKind {
    /// Things by their short names, and `nearby`.
    static var things: CompletionKind {
        names { words in
            ["nearby"] + (await ObjectNames(words).all)[.thing, default: []]
        }
    }

    /// What `get`, `set` and `action` are about.
    static var targets: CompletionKind {
        names { words in
            let all = await ObjectNames(words).all
            return DriveTarget.Word.allCases.map(\.rawValue)
                + all[.thing, default: []] + all[.zone, default: []].map { "zones/\($0)" }
                + all[.environment, default: []].map { "environments/\($0)" }
        }
    }

    /// What a right is about.
    static var scopes: CompletionKind {
        names { words in
            let all = await ObjectNames(words).all
            return ["all", "devices"] + all[.environment, default: []].map { "environment:\($0)" }
                + all[.zone, default: []].map { "zone:\($0)" }
                + all[.thing, default: []].map { "thing:\($0)" }
        }
    }

    static var zones: CompletionKind {
        names { words in (await ObjectNames(words).all)[.zone, default: []] }
    }

    static var users: CompletionKind {
        names { words in
            guard let people = try? AdministrationOption.parse(words.options("--state")) else { return [] }
            let rows = try? await people.ask(.get, ["users"])
            return (rows?.array ?? []).compactMap { $0["name"]?.string }
        }
    }

    /// Devices of the list, by their nodes.
    static var devices: CompletionKind {
        names { words in
            guard let people = try? AdministrationOption.parse(words.options("--state")) else { return [] }
            let rows = try? await people.ask(.get, [DeviceCommand.route], needsDaemon: true)
            return (rows?.array ?? []).compactMap { $0["node"]?.string }
        }
    }

    /// Things that were onboarded, or seen.
    static var bindings: CompletionKind { rows("bindings", "vendor") }

    /// Instances by their tags.
    static var instances: CompletionKind { rows("instances", "tag") }

    /// Rules by their short names.
    static var rules: CompletionKind { rows("rules", "slug") }

    /// A member of the rows of a list that only a daemon has.
    private static func rows(_ kind: String, _ member: String) -> CompletionKind {
        names { words in
            guard let people = try? AdministrationOption.parse(words.options("--state")) else { return [] }
            let rows = try? await people.rows(kind)
            return (rows?.array ?? []).compactMap { $0[member]?.string }.filter { !$0.isEmpty }
        }
    }

    static var stations: CompletionKind {
        names { words in
            guard let store = words.stateStore else { return [] }
            defer { store.close() }
            return ((try? store.stations()) ?? []).map(\.name)
        }
    }

    /// How long a shell waits at most, seconds.
    private static let limit: UInt32 = 2

    private static func names(_ find: @escaping @Sendable ([String]) async -> [String]) -> CompletionKind {
        .custom { (words: [String], _: Int, _: String) async -> [String] in
            // A shell would show it in the line that is being typed.
            let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
            if nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
            // What waits for a database or a daemon cannot be cancelled.
            Thread.detachNewThread {
                sleep(limit)
                ProcessEnd.exit(0)
            }
            return await find(words)
        }
    }
}

/// The short names of the objects of a place: those that daemons on the broker publish, or else those in the state folder.
private struct ObjectNames {
    private let words: [String]

    private static let topics: KeyValuePairs<FlareClass, String> = [
        .thing: "things", .zone: "zones", .environment: "environments",
    ]

    init(_ words: [String]) { self.words = words }

    var all: [FlareClass: [String]] {
        get async {
            let published = await publishedNames()
            return published.isEmpty ? storedNames() : published
        }
    }

    private func publishedNames() async -> [FlareClass: [String]] {
        let options = words.options("--config", "--mqtt", "--base", "--node")
        guard let broker = try? BrokerOptions.parse(options),
            let settings = try? broker.address.settings(node: broker.node),
            let (link, base) = try? broker.address.broker(settings)
        else { return [:] }
        let node = broker.node ?? settings.loaded.values.node ?? "+"
        let filters = Self.topics.map { "\(base)/\(node)/\($0.value)/+" }
        return await BrokerSession(link).run(filters: filters, timeout: .seconds(1)) { session in
            var names: [FlareClass: Set<String>] = [:]
            events: for await event in session.events {
                switch event {
                // What is retained comes at once; nothing says when that was all.
                case .link(.connected): session.wake(after: .milliseconds(250))
                case .message(let message) where !message.payload.isEmpty:
                    let parts = message.topic.split(separator: "/").suffix(2).map(String.init)
                    for (kind, topic) in Self.topics where parts.first == topic {
                        if let name = parts.last { names[kind, default: []].insert(name) }
                    }
                case .link(.disconnected), .woken, .deadline: break events
                case .link(.refused), .link(.drained), .message, .signal, .acknowledged: break
                }
            }
            return names.mapValues { $0.sorted() }
        }
    }

    private func storedNames() -> [FlareClass: [String]] {
        guard let store = words.stateStore else { return [:] }
        defer { store.close() }
        guard let slugs = (try? store.memory())?.slugs else { return [:] }
        var names: [FlareClass: [String]] = [:]
        for (kind, _) in Self.topics {
            names[kind] = slugs.objects(of: kind).compactMap { slugs[$0.kind, $0.id] }.sorted()
        }
        return names
    }
}

extension [String] {
    /// Some options with their values, as they stand among the words of a command line that is not complete yet.
    fileprivate func options(_ names: String...) -> [String] {
        names.flatMap { name in value(of: name).map { [name, $0] } ?? [] }
    }

    private func value(of option: String) -> String? {
        for (index, word) in enumerated() {
            if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            if word == option, index + 1 < count { return self[index + 1] }
        }
        return nil
    }

    /// The database of the state folder, if there is one that may be opened.
    fileprivate var stateStore: StateStore? {
        guard let state = try? StateOption.parse(options("--state")),
            let location = try? state.location()
        else { return nil }
        let url = URL(filePath: location.path, directoryHint: .isDirectory)
        guard access(url.appending(path: "trilateral.db").path(percentEncoded: false), R_OK | W_OK) == 0
        else { return nil }
        return try? StateStore(folder: url)
    }
}
