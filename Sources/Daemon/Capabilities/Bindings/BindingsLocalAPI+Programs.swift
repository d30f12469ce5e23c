import Accounts
import Bindings
import HTTPListener
import JSON
import People
import Text
import Things

/// Installations and instances at `admin.sock`.
extension BindingsLocalAPI {
    /// How a path writes the empty tag.
    private static let emptyTag = "-"

    /// The word for the installation of an instance.
    private static let ofInstance = "-"

    private static func tag(_ word: String) -> String { word == emptyTag ? "" : word }

    // MARK: Installations

    func installations(_ request: LocalRequest, _ words: [String]) async throws(BindingsError)
        -> LocalResponse
    {
        switch (request.method, words.count) {
        case ("GET", 0):
            let owner = try await user(request.query["owner"])
            let all = try withBindingsErrors { () throws(AccountsError) in
                try service.accounts.store.installations(of: owner)
            }
            return .json(200, ["installations": .array(all.map { .object(row($0)) })])
        case ("POST", 0): return try await install(request)
        case ("DELETE", 1) where words[0] == Self.ofInstance:
            let tag = request.query["tag"].map(Self.tag) ?? ""
            guard let instance = try await service.instance(tag) else { throw BindingService.noInstance(tag) }
            guard let id = instance.installation else {
                throw .refused(.unknownThing, "the instance has no installation")
            }
            try await service.uninstall(id)
            return LocalResponse(204)
        case ("DELETE", 1):
            try await service.uninstall(words[0])
            return LocalResponse(204)
        default: return .nothing(request)
        }
    }

    /// The user of a name; `nil` without one.
    private func user(_ name: String?) async throws(BindingsError) -> AccountID? {
        guard let name else { return nil }
        let named = try name.asOwner
        guard case .user(let user) = try service.grantee(named, for: .program(nil)) else {
            throw .refused(
                .invalidValue,
                "an installation is that of a user, \(QuotedValue.of("\(named)")) is a group",
                field: "owner"
            )
        }
        return user
    }

    private func row(_ installation: Installation) -> JSONObject {
        let owner = Grantee.user(installation.owner)
        var members = installation.json
        members["deviceType"] = .string(installation.request.device.rawValue)
        members["development"] = .bool(installation.request.isDevelopment)
        members["owner"] = .string(service.accounts.table.name(of: owner) ?? "\(owner)")
        return members
    }

    private func install(_ request: LocalRequest) async throws(BindingsError) -> LocalResponse {
        var body = try members(request)
        let (token, device) = (try body.needed("installationRegistrationID"), try body.optional("deviceType"))
        let (owner, tag) = (try body.optional("owner"), try body.optional("tag"))
        let isDevelopment = try body.flag("development")
        try body.end()
        let wanted: Installation.Request
        do throws(Refusal) {
            wanted = try Installation.Request(
                [
                    "installationRegistrationID": .string(token),
                    "deviceType": .string(device ?? Installation.DeviceType.mqtt.rawValue),
                    "development": .bool(isDevelopment),
                ]
            )
        } catch {
            throw .refused(error)
        }
        guard let user = try await user(owner ?? service.settings.owner) else { return .nothing(request) }
        let made = try await service.install(wanted, for: user)
        if let tag { try await service.keep(made, in: tag) }
        return .json(201, .object(made.json))
    }

    // MARK: Instances

    func instances(_ request: LocalRequest, _ words: [String]) async throws(BindingsError) -> LocalResponse {
        let tag = words.first.map(Self.tag) ?? ""
        switch (request.method, words.count) {
        case ("GET", 0):
            var rows: [JSONValue] = []
            for instance in try await service.instances() { rows.append(.object(await row(instance))) }
            return .json(200, ["instances": .array(rows)])
        case ("GET", 1):
            guard let instance = try await service.instance(tag) else { throw BindingService.noInstance(tag) }
            return .json(200, .object(await row(instance)))
        case ("POST", 2) where words[1] == "copy":
            var body = try members(request)
            let (thing, other) = (try body.needed("thing"), try body.needed("to"))
            try body.end()
            let id = try entry(thing).id
            let made = try await service.copy(tag, to: Self.tag(other), with: id)
            return .json(201, .object(await row(made)))
        case ("DELETE", 0):
            try await service.removeInstances()
            return LocalResponse(204)
        case ("DELETE", 1):
            try await service.removeInstance(tag)
            return LocalResponse(204)
        default: return .nothing(request)
        }
    }

    private func row(_ instance: AppInstance) async -> JSONObject {
        let table = service.accounts.table
        let owner = instance.owner.map { table.name(of: $0) ?? "\($0)" }
        var members: JSONObject = [
            "tag": .string(instance.tag), "realm": .string(instance.realm),
            "site": .string(instance.site.rawValue), "owner": owner.map { .string($0) } ?? .null,
            "thing": instance.thing.map { .string("\($0)") } ?? .null,
            "installation": instance.installation.map { .string($0) } ?? .null,
            "format": JSONValue(instance.format),
        ]
        // Why it is of no use here.
        members["problem"] = await service.problem(instance).map { .string($0) }
        return members
    }
}
