import Accounts
package import HTTPListener
import JSON
import Messages
import OperatingSystem
package import People
import Rules
import Text
import Things

/// Answers the verbs of `rule` at `admin.sock`, and users on the page.
///
/// Who can open that socket may do everything, so nobody's rights are asked there; the rights of a rule's maker are.
/// - Source: contrib/contract/rules.md, "Faces".
package struct RulesLocalAPI: Sendable {
    private let service: RuleService

    /// Longer bodies than others at the socket, bytes: files of rules.
    package static let bodyLimits = ["/api/rules/import": 32 << 20]

    package init(_ service: RuleService) { self.service = service }

    /// Answers a verb.
    ///
    /// - Returns: `nil` for a request that is not about rules.
    package func answer(_ request: LocalRequest) async -> LocalResponse? {
        guard request.path.starts(with: ["api", "rules"]) else { return nil }
        let requester = RuleService.Requester.program(request.user.map(SystemUser.name(of:)))
        return await respond { () async throws(Refusal) in
            // Only programs of this machine send rules that they have read themselves.
            if let response = try await importing(request, by: requester) { return response }
            return try await rules(request, by: requester)
        }
    }

    /// Answers a request of a user over HTTP.
    ///
    /// - Parameters:
    ///   - caller: Who has signed in, or brings a token.
    ///   - address: Of the other end.
    package func answer(_ request: LocalRequest, by caller: Caller, from address: String?) async
        -> LocalResponse
    {
        guard request.path.starts(with: ["api", "rules"]) else { return .nothing(request) }
        return await respond { () async throws(Refusal) in
            try await rules(request, by: .page(caller, from: address))
        }
    }

    private func respond(_ work: () async throws(Refusal) -> LocalResponse) async -> LocalResponse {
        do throws(Refusal) { return try await work() } catch { return LocalResponse(error) }
    }

    // MARK: Everybody

    private func rules(_ request: LocalRequest, by requester: RuleService.Requester) async throws(Refusal)
        -> LocalResponse
    {
        let words = Array(request.path.dropFirst(2))
        let name = words.first ?? ""
        switch (request.method, words.count, words.count > 1 ? words[1] : "") {
        case ("GET", 0, _):
            let rows = try await service.list(
                ofThing: request.query["thing"],
                isDetailed: try Self.flag("details", request),
                for: requester
            )
            return .json(200, ["rules": .array(rows.map { .object($0) })])
        case ("POST", 0, _):
            let wish = try wish(request)
            guard try !Self.flag("test", request) else {
                let answer = try await service.test(wish, as: request.query["as"], for: requester)
                return .json(200, .object(answer))
            }
            let known = try await service.add(wish, as: request.query["as"], by: requester)
            return .json(201, .object(await made(known, by: wish, isNew: true)))
        case ("GET", 1, _):
            guard try !Self.flag("original", request) else {
                return .json(200, try await service.original(of: name, for: requester))
            }
            return .json(200, .object(try await service.show(name, for: requester)))
        case ("PUT", 1, _):
            let wish = try wish(request)
            let known = try await service.edit(name, to: wish, as: request.query["as"], by: requester)
            return .json(200, .object(await made(known, by: wish, isNew: false)))
        case ("DELETE", 1, _):
            try await service.remove(name, by: requester)
            return LocalResponse(204)
        case ("POST", 2, "on"), ("POST", 2, "off"):
            try Self.checkEmpty(request)
            try await service.turn(name, isOn: words[1] == "on", by: requester)
            return LocalResponse(204)
        case ("POST", 2, "run"):
            try Self.checkEmpty(request)
            if let wait = try Self.number("wait", request, upTo: RuleService.longestWait) {
                return .json(200, .object(try await service.runNow(name, waiting: wait, by: requester)))
            }
            try await service.runNow(name, by: requester)
            return LocalResponse(204)
        case ("POST", 2, "test"):
            try Self.checkEmpty(request)
            return .json(200, .object(try await service.test(name, for: requester)))
        case ("GET", 2, "explain"):
            let limit = try Self.number("limit", request, upTo: RuleService.mostFirings)
            let lines = try await service.explanation(of: name, limit: limit, for: requester)
            return .json(200, ["lines": .array(lines)])
        default: return .nothing(request)
        }
    }

    /// The answer about a rule that was added or replaced.
    private func made(
        _ known: RuleService.Known,
        by wish: RuleService.Wish,
        isNew: Bool
    ) async -> JSONObject {
        var made = Self.row(known.stored)
        let same = isNew ? await service.warningOfSame(as: known) : nil
        let warnings = wish.warnings + [same].compactMap(\.self) + (await service.warnings(of: known))
        if !warnings.isEmpty { made["warnings"] = .array(warnings.map { .string($0.message) }) }
        return made
    }

    private static func row(_ stored: RuleHeader) -> JSONObject {
        ["id": JSONValue(stored.id), "slug": .string(stored.slug), "form": .string(stored.form)]
    }

    private static func checkEmpty(_ request: LocalRequest) throws(Refusal) {
        guard !request.body.isEmpty else { return }
        let members = try object(request)
        guard let first = members.keys.first else { return }
        throw Refusal(.unknownKey, "the body must be empty, or {}", field: first)
    }

    private static func flag(_ name: String, _ request: LocalRequest) throws(Refusal) -> Bool {
        guard let value = request.query[name] else { return false }
        guard value == "1" else { throw Refusal(.invalidValue, "\(name) must be 1", field: name) }
        return true
    }

    private static func number(
        _ name: String,
        _ request: LocalRequest,
        upTo most: Int
    ) throws(Refusal) -> Int? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int(text), 1...most ~= number else {
            throw Refusal(
                .invalidValue,
                "\(name) must be a whole number from 1 to \(most), is \(QuotedValue.of(text))",
                field: name
            )
        }
        return number
    }

    // MARK: Bodies

    private static func json(_ request: LocalRequest) throws(Refusal) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: request.body) } catch {
            throw Refusal(.badJSON, "the body is no JSON: \(error)")
        }
    }

    private static func object(_ request: LocalRequest) throws(Refusal) -> JSONObject {
        guard let members = try json(request).object else {
            throw Refusal(.wrongType, "the body must be an object")
        }
        return members
    }

    /// A rule in any form; what our own answers have besides is left out.
    private func wish(_ request: LocalRequest) throws(Refusal) -> RuleService.Wish {
        var json = try Self.json(request)
        if var members = json.object, members["when"] != nil {
            for name in RuleService.answerMembers { members[name] = nil }
            json = .object(members)
        }
        return RuleService.Wish(try RuleReader(thing: request.query["thing"]).read(json))
    }

    // MARK: Verbs

    /// Rules that a verb has read from files, all or none; their tests; and all rules for a file.
    ///
    /// - Returns: `nil` for another request.
    private func importing(
        _ request: LocalRequest,
        by requester: RuleService.Requester
    ) async throws(Refusal) -> LocalResponse? {
        switch (request.method, Array(request.path.dropFirst(2))) {
        case ("POST", ["add"]):
            let wish = try Self.readWish(try Self.object(request), at: "")
            let known = try await service.add(wish, as: request.query["as"], by: requester)
            return .json(201, .object(await made(known, by: wish, isNew: true)))
        case ("POST", ["import"]): return try await `import`(request, by: requester)
        case ("POST", ["test"]):
            let wish = try Self.readWish(try Self.object(request), at: "")
            let answer = try await service.test(wish, as: request.query["as"], for: requester)
            return .json(200, .object(answer))
        case ("POST", ["export"]):
            let names = try Self.object(request)["rules"]?.array ?? []
            let rules = try await service.export(names.compactMap(\.string), for: requester)
            return .json(200, ["rules": .array(rules)])
        default: return nil
        }
    }

    private func `import`(
        _ request: LocalRequest,
        by requester: RuleService.Requester
    ) async throws(Refusal) -> LocalResponse {
        let body = try Self.object(request)
        guard let list = body["rules"]?.array, !list.isEmpty, list.count <= RuleLimits.rules else {
            throw Refusal(
                .invalidValue,
                "rules must be a list of 1 to \(RuleLimits.rules) rules",
                field: "rules"
            )
        }
        var wishes: [RuleService.Wish] = []
        for (index, element) in list.enumerated() {
            wishes.append(try Self.readWish(element.object ?? [:], at: "rules[\(index)]."))
        }
        let done = try await service.import(
            wishes,
            as: body["as"]?.string,
            checks: body["check"]?.bool ?? false,
            by: requester
        )
        guard done.problems.isEmpty else {
            let rows = done.problems.map { index, refusal in
                Self.problem(index, refusal.code, refusal.messageWithPath, refusal.field)
            }
            return .json(200, ["problems": .array(rows)])
        }
        var answer: JSONObject = ["rules": .array(done.rules.map { .object(Self.row($0)) })]
        if !done.warnings.isEmpty {
            let rows = done.warnings.map { index, warning in
                Self.problem(index, warning.code, warning.message, warning.path)
            }
            answer["warnings"] = .array(rows)
        }
        if !done.unchanged.isEmpty {
            let rows = done.unchanged.sorted { $0.key < $1.key }.map { index, rule -> JSONValue in
                ["index": JSONValue(index), "slug": .string(rule.slug)]
            }
            answer["unchanged"] = .array(rows)
        }
        return .json(done.rules.count > done.unchanged.count ? 201 : 200, .object(answer))
    }

    /// What is wrong with one of several rules.
    private static func problem(
        _ index: Int,
        _ code: RefusalCode,
        _ message: String,
        _ field: String?
    ) -> JSONValue {
        var row: JSONObject = [
            "index": JSONValue(index), "code": .string(code.rawValue), "message": .string(message),
        ]
        row["field"] = field.map { .string($0) }
        return .object(row)
    }

    /// A rule that a verb has read: in our own form, with what it came in as.
    private static func readWish(_ members: JSONObject, at path: String) throws(Refusal) -> RuleService.Wish {
        let read = try RuleReader().read(members["rule"] ?? .null, as: .rule)
        guard let form = RuleForm(rawValue: members["form"]?.string ?? RuleForm.rule.rawValue) else {
            let forms = QuotedValue.list(RuleForm.allCases.map(\.rawValue))
            throw Refusal(.invalidValue, "\(path)form must be one of \(forms)", field: "form")
        }
        let original = members["original"].map { RuleOriginal.stripped($0) } ?? read.original
        return RuleService.Wish(read.rule, form, original: original)
    }
}

extension Refusal {
    /// Its sentence, with the member at fault before it, as one of several of a rule.
    fileprivate var messageWithPath: String {
        guard let field, !message.hasPrefix(field) else { return message }
        return "\(field): \(message)"
    }
}
