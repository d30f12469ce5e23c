package import Accounts
import Administration
import Flare
package import HTTPListener
import JSON
import Messages
import OperatingSystem
package import People
import Positioning
import Sensing
import Text
import Things

/// Answers the verbs of `survey` at `admin.sock`, and users on the page.
///
/// Whoever can open that socket may do everything. Over HTTP a user needs `write` of the environment, and `read` of the daemon's
/// own device, because the levels that its adapter hears tell where it is.
/// - Source: contrib/contract/web.md, "Survey".
package struct SurveyAPI: Sendable {
    private let service: SurveyService
    private let accounts: AccountsRegistry
    private let epoch: String
    private let node: String

    /// Longer bodies than others at the socket, bytes: files of points.
    static let bodyLimits = ["/api/survey/import": 16 << 20]

    /// - Parameter node: The daemon's own.
    package init(_ service: SurveyService, accounts: AccountsRegistry, epoch: String, node: String) {
        (self.service, self.accounts, self.epoch, self.node) = (service, accounts, epoch, node)
    }

    /// Who asks, for the log.
    private struct Requester: Sendable {
        let name: String
        let interface: String
        let address: String?
    }

    /// Answers a verb.
    ///
    /// - Returns: `nil` for a request that is not about the survey.
    package func answer(_ request: LocalRequest) async -> LocalResponse? {
        guard request.path.starts(with: ["api", "survey"]) else { return nil }
        let user = request.user.map(SystemUser.name(of:))
        return await respond(
            to: request,
            for: Requester(
                name: user.map { "system:\($0)" } ?? "nobody",
                interface: AdministrationSocket.interface,
                address: nil
            )
        )
    }

    /// Answers a request of a user over HTTP.
    package func answer(_ request: LocalRequest, by caller: Caller, from address: String?) async
        -> LocalResponse
    {
        let place = await service.environment.map { AccessObject.environment($0) } ?? .everything
        let table = accounts.table
        func verdict(_ access: Access, _ object: AccessObject) -> Verdict {
            table.verdict(of: caller, access, on: object, at: accounts.clock())
        }
        let requester = Requester(
            name: table.logName(of: caller),
            interface: "page",
            address: address
        )
        for case .refused(let reason) in [verdict(.write, place), verdict(.read, .device(node))] {
            let refusal = Refusal(.notAllowed, "you may not survey this place: \(reason)")
            log(request, by: requester, about: nil, refusal)
            return LocalResponse(refusal)
        }
        return await respond(to: request, for: requester)
    }

    private func respond(to request: LocalRequest, for requester: Requester) async -> LocalResponse {
        do throws(Refusal) {
            let (response, target) = try await carryOut(request)
            log(request, by: requester, about: target, nil)
            return response
        } catch {
            log(request, by: requester, about: nil, error)
            return LocalResponse(error)
        }
    }

    /// The receiver of a query; `nil` if it names none.
    ///
    /// An empty name would mean all of them, which was not asked for.
    private static func receiver(_ request: LocalRequest) throws(Refusal) -> String? {
        guard let name = request.query["receiver"] else { return nil }
        guard !name.isEmpty else {
            throw Refusal(.invalidValue, "receiver must not be empty", field: "receiver")
        }
        return name
    }

    /// The floor of a query; `nil` if it names none.
    private static func floor(_ request: LocalRequest) throws(Refusal) -> Int? {
        guard let text = request.query["floor"] else { return nil }
        guard let floor = Int(text), floor >= 0 else {
            throw Refusal(
                .invalidValue,
                "floor must be a whole number from 0 (is \(QuotedValue.of(text)))",
                field: "floor"
            )
        }
        return floor
    }

    /// - Returns: The answer, and what was changed.
    private func carryOut(_ request: LocalRequest) async throws(Refusal) -> (LocalResponse, String?) {
        let words = Array(request.path.dropFirst(2))
        let name = words.dropFirst().first ?? ""
        switch (request.method, words.first ?? "", words.count) {
        case ("GET", "", 0):
            return (.json(200, .object(await service.list())), nil)
        case ("POST", "points", 1):
            let wish = try Self.wish(try Self.object(request))
            let answer = try await service.take(wish)
            return (.json(answer["stored"]?.bool == true ? 201 : 200, .object(answer)), wish.name)
        case ("DELETE", "points", 1):
            let count = try await service.forgetAll(of: try Self.receiver(request))
            return (.json(200, ["forgotten": JSONValue(count)]), nil)
        case ("GET", "points", 2):
            return (.json(200, .object(try await service.show(name))), nil)
        case ("DELETE", "points", 2):
            let count = try await service.forget(name)
            return (.json(200, ["forgotten": JSONValue(count)]), name)
        case ("GET", "measurement", 1):
            return (.json(200, await service.progress.map { .object($0) } ?? [:]), nil)
        case ("DELETE", "measurement", 1):
            await service.endMeasurement()
            return (LocalResponse(204), nil)
        case ("GET", "export", 1):
            let (csv, points) = try await service.export(
                try Self.receiver(request),
                floor: try Self.floor(request)
            )
            return (.json(200, ["csv": .string(csv), "points": JSONValue(points)]), nil)
        case ("POST", "import", 1):
            let file = try Self.file(try Self.object(request))
            let answer = try await service.import(file.csv, receiver: file.receiver, floor: file.floor)
            return (.json(201, .object(answer)), nil)
        default: return (.nothing(request), nil)
        }
    }

    // MARK: Bodies

    private static func object(_ request: LocalRequest) throws(Refusal) -> JSONObject {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: request.body) } catch {
            throw Refusal(.badJSON, "the body is no JSON: \(error)")
        }
        guard let members = json.object else { throw Refusal(.wrongType, "the body must be an object") }
        return members
    }

    private static func check(_ body: JSONObject, _ members: [String]) throws(Refusal) {
        if let unknown = body.keys.first(where: { !members.contains($0) }) {
            let legal = members.joined(separator: ", ")
            throw Refusal(
                .unknownKey,
                "unknown key \(QuotedValue.of(unknown)); there are \(legal)",
                field: unknown
            )
        }
    }

    private static func file(_ body: JSONObject) throws(Refusal) -> (
        csv: [UInt8], receiver: String?, floor: Int
    ) {
        try check(body, ["csv", "receiver", "floor"])
        guard let csv = body["csv"]?.string else {
            throw Refusal(.wrongType, "csv must be the text of a file", field: "csv")
        }
        // Points of an unknown receiver would be stored as those of the one that hears now.
        if let receiver = body["receiver"], receiver.string == nil, !receiver.isNull {
            throw Refusal(.wrongType, "receiver must be a text", field: "receiver")
        }
        return (Array(csv.utf8), body["receiver"]?.string, try whole("floor", body) ?? 0)
    }

    private static func wish(_ body: JSONObject) throws(Refusal) -> SurveyService.Wish {
        try check(body, ["name", "x", "y", "z", "floor", "seconds", "accept"])
        guard let name = body["name"]?.string else {
            throw Refusal(.wrongType, "name must be a text", field: "name")
        }
        guard let x = try number("x", body), let y = try number("y", body) else {
            throw Refusal(.wrongType, "x and y must be numbers, metres", field: body["x"] == nil ? "x" : "y")
        }
        let z = try number("z", body)
        var wish = SurveyService.Wish(
            name: name,
            position: Point3D(x: x, y: y, z: z ?? 0),
            floor: try whole("floor", body),
            hasHeight: z != nil
        )
        if let seconds = try whole("seconds", body) { wish.seconds = seconds }
        if let accept = body["accept"] {
            guard let isAccepted = accept.bool else {
                throw Refusal(.wrongType, "accept must be true or false", field: "accept")
            }
            wish.isAccepted = isAccepted
        }
        return wish
    }

    private static func number(_ name: String, _ body: JSONObject) throws(Refusal) -> Double? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let number = value.number, number.isFinite else {
            throw Refusal(.wrongType, "\(name) must be a number, is \(QuotedValue.of(value))", field: name)
        }
        return number
    }

    private static func whole(_ name: String, _ body: JSONObject) throws(Refusal) -> Int? {
        guard let number = try number(name, body) else { return nil }
        guard let whole = Int(exactly: number) else {
            throw Refusal(.invalidValue, "\(name) must be a whole number (is \(number))", field: name)
        }
        return whole
    }

    // MARK: The log

    private func log(
        _ request: LocalRequest,
        by requester: Requester,
        about target: String?,
        _ refusal: Refusal?
    ) {
        guard request.method != "GET" else { return }
        var row = CommandLogEntry(
            at: accounts.clock(),
            interface: requester.interface,
            caller: requester.name,
            kind: Self.kind(of: request),
            state: refusal == nil ? "accepted" : "refused"
        )
        (row.epoch, row.source, row.slug, row.code) = (
            epoch, requester.address, target, refusal?.code.rawValue
        )
        accounts.log(row)
    }

    private static func kind(of request: LocalRequest) -> String {
        switch (request.method, request.path.dropFirst(2).first ?? "") {
        case ("POST", "import"): "survey import"
        case ("DELETE", "measurement"): "survey end"
        case ("DELETE", _): "survey forget"
        default: "survey point"
        }
    }
}
