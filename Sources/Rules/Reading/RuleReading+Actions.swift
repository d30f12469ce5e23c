import Bindings
import Controller
import JSON
import Text
import Things

extension RuleReading {
    private static let works = ["set", "action", "command", "notify", "ceiling", "publish"]

    /// Reads one element of `then`.
    mutating func addAction(_ object: RuleObject, to parts: inout RuleParts) throws(Refusal) {
        // A ceiling of null ends one, so here null is no absence.
        let found = Self.works.filter { $0 == "ceiling" ? object.has($0) : object.optional($0) != nil }
        guard found.count == 1, let name = found.first else {
            let count = found.isEmpty ? "has none" : "has \(found.joined(separator: " and "))"
            throw Refusal(
                .invalidValue,
                "\(object.path) must have one of \(Self.works.joined(separator: ", ")), \(count)",
                field: object.path
            )
        }
        var known = [name, "at"]
        let work: RuleAction.Work
        switch name {
        case "set":
            known.append("target")
            work = .drive(.set(try Self.values("set", in: object)), try target(in: object))
        case "action":
            known.append("target")
            work = .drive(.action(try Self.actionName("action", in: object)), try target(in: object))
        case "command":
            known.append("target")
            work = try command(in: object)
        case "notify":
            known += ["channels", "subject", "text"]
            work = .notify(try notification(in: object))
        case "ceiling": work = .ceiling(try Self.ceiling(in: object))
        default: work = .publish(try Self.published(in: object))
        }
        warnings.addUnknown(in: object, known: known)
        let timing = try object.optionalWord("at", as: RuleAction.Timing.self)
        parts.add(work, at: timing, timing == nil ? object.path : object.path(of: "at"))
    }

    // MARK: Driving

    /// Members of a command that say who gives it or where, which a rule does itself.
    private static let reserved = ["token", "tx", "if_id"]

    static func values(_ name: String, in object: RuleObject) throws(Refusal) -> JSONObject {
        let legal = "an object of 1 to \(RuleLimits.values.upperBound) values, such as {\"on\":true}"
        let value = try object.required(name, legal)
        guard let values = value.object else { throw object.wrongType(name, value, legal) }
        guard RuleLimits.values.contains(values.count) else {
            throw object.refusal(.invalidValue, of: name, "must be \(legal), has \(values.count)")
        }
        for (key, _) in values {
            guard isName(key) else {
                throw object.refusal(
                    .invalidValue,
                    of: name,
                    "must have names of 1 to \(RuleLimits.nameBytes) bytes"
                )
            }
            guard !reserved.contains(key) else {
                throw object.refusal(
                    .invalidValue,
                    of: name,
                    "must not have \(key): a rule acts for its maker"
                )
            }
        }
        return values
    }

    static func actionName(_ name: String, in object: RuleObject) throws(Refusal) -> String {
        let count = RuleLimits.actionName
        let legal = "a name of \(count.lowerBound) to \(count.upperBound) characters"
        let action = try object.text(name, legal)
        guard count.contains(action.unicodeScalars.count), !action.isBlank,
            !action.unicodeScalars.contains(where: HarmfulCharacters.contain)
        else { throw object.invalid(name, .string(action), legal) }
        return action
    }

    func target(in object: RuleObject) throws(Refusal) -> RuleTarget {
        if object.optional("target") == nil, let thing { return .thing(.thing(thing)) }
        let text = try object.text("target", RuleTarget.rule)
        guard let target = Self.target(text) else {
            throw object.invalid("target", .string(text), RuleTarget.rule)
        }
        return target
    }

    /// `nil` unless the text has the form of ``RuleTarget/rule``, or names a thing as Kii's programs do.
    static func target(_ text: String) -> RuleTarget? {
        if text == "nearby" { return .nearby }
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = String(scalars[scalars.index(after: colon)...])
        guard isName(name) else { return nil }
        return switch String(scalars[..<colon]) {
        case "thing", "THING", "VENDOR_THING_ID": .thing(.thing(name))
        case "zone": .zone(.zone(name))
        default: nil
        }
    }

    private func command(in object: RuleObject) throws(Refusal) -> RuleAction.Work {
        let target = try target(in: object)
        guard case .thing = target else {
            throw object.invalid(
                "target",
                .string(target.text),
                "thing: with a thing, as only things take commands"
            )
        }
        guard let command = try object.object("command") else {
            throw object.refusal(.invalidValue, of: "command", "must be an object with actions")
        }
        return .drive(.command(try Self.command(command)), target)
    }

    /// The members of ``command(_:)``.
    static let commandMembers = [
        "actions", "issuer", "schema", "schemaVersion", "title", "description", "metadata",
    ]

    static func command(_ object: RuleObject) throws(Refusal) -> RuleCommand {
        let request: CommandRequest
        do throws(Refusal) {
            let actions: JSONObject = ["actions": object.optional("actions") ?? .null]
            request = try CommandRequest(message: .object(actions), others: [])
        } catch {
            // Its paths begin at the command.
            let path = error.field.map { "\(object.path).\($0)" } ?? object.path
            let joint = error.field == nil ? ": " : "."
            throw Refusal(error.code, "\(object.path)\(joint)\(error.message)", field: path)
        }
        let issuer = try object.optionalText("issuer", OwnerName.rule)
        if let issuer, OwnerName(issuer) == nil {
            throw object.invalid("issuer", .string(issuer), OwnerName.rule)
        }
        let legal = "a text of at most \(CommandRequest.longestName) bytes without control characters"
        let schema = try object.optionalText("schema", legal) ?? ""
        guard schema.utf8.count <= CommandRequest.longestName,
            !schema.unicodeScalars.contains(where: HarmfulCharacters.contain)
        else { throw object.invalid("schema", .string(schema), legal) }
        return RuleCommand(
            CommandRequest(
                request.actions,
                schema: schema,
                schemaVersion: Int(try object.optionalWhole("schemaVersion", 0...Int64(Int32.max)) ?? 0),
                title: try RuleParts.line("title", CommandRequest.longestTitle, in: object),
                description: try RuleParts.line("description", CommandRequest.longestDescription, in: object),
                metadata: try object.object("metadata")?.members
            ),
            issuer: issuer
        )
    }

    // MARK: Ceilings and messages of the rule

    private static let ceilings = LifecycleLevel.allCases.filter { $0 != .disconnected }.reversed()
        .map(\.hmiLevel)

    private static func ceiling(in object: RuleObject) throws(Refusal) -> LifecycleLevel? {
        let legal = "one of \(ceilings.joined(separator: ", ")), or null"
        guard let text = try object.optionalText("ceiling", legal) else { return nil }
        guard ceilings.contains(text), let level = LifecycleLevel(hmiLevel: text) else {
            throw object.invalid("ceiling", .string(text), legal)
        }
        return level
    }

    private static func published(in object: RuleObject) throws(Refusal) -> JSONValue {
        let value = try object.required("publish", "any JSON except null")
        var buffer = JSONBuffer()
        buffer.write(value)
        guard buffer.count <= RuleLimits.publishedBytes else {
            let rest = "must have at most \(RuleLimits.publishedBytes) bytes, has \(buffer.count)"
            throw object.refusal(.tooLarge, of: "publish", rest)
        }
        return value
    }
}
