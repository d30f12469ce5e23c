import Accounts
import Bindings
import Controller
import Flare
package import HTTPListener
import JSON
import OperatingSystem
import People
import Text
import Things

/// Answers the verbs `thing`, `installation` and `instance` at `admin.sock`, and users on the page.
///
/// Who can open that socket may do everything, so nobody's rights are asked there.
package struct BindingsLocalAPI: Sendable {
    let service: BindingService

    package init(_ service: BindingService) { self.service = service }

    /// - Returns: `nil` for a request that is not about bindings, installations or instances.
    package func answer(_ request: LocalRequest) async -> LocalResponse? {
        guard request.path.count >= 2, request.path.first == "api" else { return nil }
        let words = Array(request.path.dropFirst(2))
        do throws(BindingsError) {
            switch request.path[1] {
            case "bindings":
                let user = request.user.map(SystemUser.name(of:))
                return try await bindings(request, words, by: .program(user))
            case "installations": return try await installations(request, words)
            case "instances": return try await instances(request, words)
            default: return nil
            }
        } catch {
            return LocalResponse(error)
        }
    }

    // MARK: Bindings

    /// - Parameter words: What follows `bindings` in the path.
    func bindings(
        _ request: LocalRequest,
        _ words: [String],
        by requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        switch (request.method, words.count, words.first ?? "", words.count > 1 ? words[1] : "") {
        case ("GET", 0, _, _): return try await list(request.query["filter"], requester)
        case ("POST", 1, "onboard", _): return try await onboard(request, requester)
        case ("POST", 1, "expect", _): return try await expect(request, requester)
        case ("GET", 1, let name, _): return try await show(name, requester)
        case ("DELETE", 1, let name, _):
            try await service.forget(try await entry(name, for: requester, to: .forget).id, by: requester)
            return LocalResponse(204)
        case ("POST", 2, let name, "token"):
            if !request.body.isEmpty { try members(request).end() }
            let id = try await entry(name, for: requester, to: .rotateToken).id
            let token = try await service.rotateToken(of: id, by: requester)
            return .json(200, ["accessToken": .string(token)])
        case ("POST", 2, let name, "owners"):
            var body = try members(request)
            let owner = try body.needed("owner").asOwner
            try body.end()
            let id = try await entry(name, for: requester, to: .addOwner).id
            try await service.addOwner(owner, of: id, by: requester)
            return LocalResponse(204)
        case ("POST", 2, let name, "commands"): return try await give(request, to: try entry(name), requester)
        case ("GET", 3, let name, "commands"): return try await command(words[2], of: try entry(name))
        case ("POST", 2, let name, "history"): return try await history(request, try entry(name))
        case ("DELETE", 3, let name, "owners"):
            let owner = try words[2].asOwner
            let id = try await entry(name, for: requester, to: .removeOwner).id
            try await service.removeOwner(owner, of: id, by: requester)
            return LocalResponse(204)
        default: return .nothing(request)
        }
    }

    func entry(_ name: String) throws(BindingsError) -> BindingDirectory.Entry {
        guard let entry = service.directory.entry(named: name) else {
            throw .refused(
                .unknownThing,
                "there is no thing \(QuotedValue.of(name)); `trilateral thing list` shows them"
            )
        }
        return entry
    }

    private func list(
        _ filter: String?,
        _ requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        // The times of the last reports wait to be stored.
        service.records.states.flush()
        let stored = try withBindingsErrors { () throws(AccountsError) in
            try service.accounts.store.bindings()
        }
        let wanted: [StoredBinding]
        var sightings = await service.edge.sightings
        switch filter {
        case nil, "": wanted = stored
        case "pending": wanted = stored.filter { !$0.binding.isOwned }
        case "onboarded": (wanted, sightings) = (stored.filter(\.binding.isOwned), [])
        case let other?:
            throw .refused(.invalidValue, "filter must be pending or onboarded, is \(QuotedValue.of(other))")
        }
        let shown = await owned(wanted, by: requester)
        // What nobody has claimed is for who owns everything.
        if !ownsEverything(requester) { sightings = [] }
        let slugs = await service.place.slugs(shown.compactMap(\.binding.thing))
        let gateways = Dictionary(sightings.map { ($0.vendor, $0.gateway) }) { $1 }
        let rows = shown.map { stored -> JSONObject in
            var members = row(stored, slugs[stored.binding.thing])
            // One that is expected, or has come by itself, may be claimed behind a gateway, too.
            if !stored.binding.isOwned, let gateway = gateways[stored.binding.vendor] ?? nil {
                members["gateway"] = .string(gateway)
            }
            return members
        }
        let others = sightings.filter { service.directory.entry(ofVendor: $0.vendor) == nil }.map(row)
        return .json(200, ["bindings": .array((rows + others).map { .object($0) })])
    }

    /// A thing that is no binding yet.
    private func row(_ sighting: PendingThings.Sighting) -> JSONObject {
        var row: JSONObject = [
            "vendor": .string(sighting.vendor), "thingID": .null, "type": .null, "owned": false,
            "route": .null, "thing": .null, "owners": [],
            "seen": .string(CivilTime(milliseconds: sighting.seen).shortText),
        ]
        row["gateway"] = sighting.gateway.map { .string($0) }
        row["properties"] = sighting.properties.map { .object($0) }
        return row
    }

    private func show(
        _ name: String,
        _ requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        let stored = try await service.stored(try await entry(name, for: requester).id)
        let binding = stored.binding
        let slugs = await service.place.slugs([binding.thing].compactMap(\.self))
        var members = row(stored, slugs[binding.thing])
        if let thing = binding.thing, binding.route == .edge {
            let isOnline = await service.place.isOnline(thing)
            members["availability"] = .string(isOnline.map { $0 ? "online" : "offline" } ?? "unknown")
        }
        members["firmware"] = binding.firmware.map { .string($0) }
        members["layout"] = binding.layout.map { .string($0.rawValue) }
        members["gateway"] = binding.gateway.map { .string("\($0)") }
        members["properties"] = .object(binding.properties)
        let state = try await service.lastState(of: binding.id)
        if !state.isEmpty { members["state"] = .object(state) }
        return .json(200, .object(members))
    }

    private func row(_ stored: StoredBinding, _ slug: String?) -> JSONObject {
        let binding = stored.binding
        let table = service.accounts.table
        let owners = service.owners(of: BindingDirectory.Entry(stored))
            .map { table.name(of: $0) ?? "\($0)" }.sorted()
        var members: JSONObject = [
            "vendor": .string(binding.vendor), "thingID": .string("\(binding.id)"),
            "type": binding.type.map { .string($0) } ?? .null, "owned": .bool(binding.isOwned),
            "route": .string(binding.route.rawValue),
            "thing": (slug ?? binding.thing.map { "\($0)" }).map { .string($0) } ?? .null,
            "owners": .array(owners.map { .string($0) }),
            "made": .string(CivilTime(milliseconds: binding.made).shortText),
            "seen": binding.seen.map { .string(CivilTime(milliseconds: $0).shortText) } ?? .null,
        ]
        members["interval"] = binding.interval.map { .string($0.rawValue) }
        return members
    }

    private func onboard(
        _ request: LocalRequest,
        _ requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        var body = try members(request)
        var extras = BindingService.OnboardingExtras()
        (extras.thing, extras.zone) = (try body.optional("thing"), try body.optional("zone"))
        // Instances are those of programs on this machine.
        if requester.user == nil { extras.tag = try body.optional("tag") }
        var rest = body.rest
        if let user = requester.user, rest["owner"] == nil { rest["owner"] = .string("user:\(user)") }
        if let owner = rest["owner"]?.string, !owner.contains(":") {
            rest["owner"] = .string("user:\(owner)")
        }
        let form = Self.form(of: rest)
        let onboarding: OnboardingRequest
        do throws(Refusal) {
            onboarding = try OnboardingRequest(form, .object(rest))
        } catch {
            throw .refused(error)
        }
        let answer = try await service.onboard(onboarding, by: requester, extras)
        var members = answer.json(form)
        if requester.user == nil, answer.isOwned {
            members["thing"] = await thing(of: answer.thing).map { .string($0) } ?? .null
        }
        return .json(200, .object(members))
    }

    /// The form of an onboarding, which its members say here.
    private static func form(of members: JSONObject) -> OnboardingForm {
        if members["gatewayThingID"] != nil { return .endNode }
        let isByOwner = members["owner"] != nil
        guard members["thingID"] == nil else { return isByOwner ? .thingByOwner : .thingByThing }
        return isByOwner ? .vendorByOwner : .vendorByThing
    }

    /// The thing of the place that a binding is, by slug or identifier.
    private func thing(of binding: BindingID) async -> String? {
        guard let thing = service.directory.entry(binding)?.thing else { return nil }
        return await service.place.slugs([thing])[thing] ?? "\(thing)"
    }

    private func expect(
        _ request: LocalRequest,
        _ requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        var body = try members(request)
        let (vendor, type) = (try body.needed("vendorThingID"), try body.optional("type"))
        try body.end()
        try requireEverything(requester, to: .expect)
        let password = try await service.expect(vendor, type: type, by: requester)
        return .json(200, ["thingPassword": .string(password)])
    }

    // MARK: Bodies

    func members(_ request: LocalRequest) throws(BindingsError) -> LocalMembers {
        guard case .object(let members)? = try? JSONValue(parsing: request.body) else {
            throw .refused(.badJSON, "the body must be a JSON object")
        }
        return LocalMembers(CommandFields(members))
    }
}

/// The members of a body, read one by one; unread ones are an error.
struct LocalMembers {
    private var fields: CommandFields

    init(_ fields: CommandFields) { self.fields = fields }

    /// Those that were not read.
    var rest: JSONObject { fields.rest }

    mutating func optional(_ key: String) throws(BindingsError) -> String? {
        do throws(Refusal) { return try fields.text(key) } catch { throw .refused(error) }
    }

    mutating func needed(_ key: String) throws(BindingsError) -> String {
        guard let text = try optional(key) else {
            throw .refused(.invalidValue, "\(key) is missing", field: key)
        }
        return text
    }

    mutating func flag(_ key: String) throws(BindingsError) -> Bool {
        do throws(Refusal) { return try fields.flag(key) ?? false } catch { throw .refused(error) }
    }

    func end() throws(BindingsError) {
        do throws(Refusal) { try fields.finish() } catch { throw .refused(error) }
    }
}

extension String {
    /// An owner as a verb names it: also a user's name alone.
    var asOwner: OwnerName {
        get throws(BindingsError) {
            guard let owner = OwnerName(contains(":") ? self : "user:\(self)") else {
                throw .refused(
                    .invalidValue,
                    "an owner is a user's name, or \(OwnerName.rule)",
                    field: "owner"
                )
            }
            return owner
        }
    }
}

extension [FlareID: String] {
    fileprivate subscript(thing: FlareID?) -> String? { thing.flatMap { self[$0] } }
}

extension LocalResponse {
    static func json(_ status: Int, _ body: JSONValue) -> LocalResponse { LocalResponse(status, body.bytes) }

    init(_ error: BindingsError) {
        let status = ThingIFError(error, about: .thing).status
        let body: JSONValue = ["error": .string(error.code), "message": .string(error.message)]
        self.init(status, body.bytes, retryAfter: status == 429 ? 5 : nil)
    }

    static func nothing(_ request: LocalRequest) -> LocalResponse {
        let path = QuotedValue.of("/" + request.path.joined(separator: "/"))
        let message = "nothing answers \(request.method) \(path) here"
        return .json(404, ["error": "unknown", "message": .string(message)])
    }
}
