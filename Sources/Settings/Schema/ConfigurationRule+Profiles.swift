import Controller
import Text

extension ConfigurationRule {
    /// What the entries of `profiles.things` and `flare.servers` must agree on.
    static let profiles: [ConfigurationRule] = [oneProfilePerThing, oneServerPerService, oneServerPerName]

    private static let oneProfilePerThing = ConfigurationRule(list: "profiles.things") { configuration in
        var first: [String: Int] = [:]
        return configuration.profiles.things.flatMap { entry -> [Issue] in
            let names = Set([entry.thing, SlugRegistry.slug(from: entry.thing)].compactMap(\.self))
            let other = names.compactMap { first[$0] }.min()
            for name in names where first[name] == nil { first[name] = entry.number }
            return other.map {
                let message =
                    "entries \($0) and \(entry.number) are for one thing, \(QuotedValue.of(entry.thing))"
                return [Issue(message: message, entry: entry.number)]
            } ?? []
        }
    }

    private static let oneServerPerService = ConfigurationRule(list: "flare.servers") { configuration in
        repeated(configuration.flare.servers, "service") {
            "\($0.type?.rawValue ?? "every type") in \($0.location?.rawValue ?? "every location")"
        }
    }

    private static let oneServerPerName = ConfigurationRule(list: "flare.servers") { configuration in
        repeated(configuration.flare.servers, "name") { QuotedValue.of($0.name) }
    }

    private static func repeated(
        _ servers: [NamedServer],
        _ what: String,
        by text: (NamedServer) -> String
    ) -> [Issue] {
        var first: [String: Int] = [:]
        return servers.compactMap { server in
            let text = text(server)
            guard let other = first[text] else {
                first[text] = server.number
                return nil
            }
            let message = "entries \(other) and \(server.number) have the same \(what), \(text)"
            return Issue(message: message, entry: server.number)
        }
    }
}
