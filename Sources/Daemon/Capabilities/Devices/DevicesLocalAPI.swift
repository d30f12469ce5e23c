package import HTTPListener
import Administration
package import JSON
import OperatingSystem
package import People
import Text
import Web

/// Answers the verbs of `device` at `admin.sock`, and users on the page.
///
/// Who can open that socket may do everything, so nobody's rights are asked there.
package struct DevicesLocalAPI: Sendable {
    private let service: DeviceService
    /// Where all devices are, as `/api/devices` has them.
    private let whereabouts: @Sendable () async -> [JSONValue]

    package init(
        _ service: DeviceService,
        whereabouts: @escaping @Sendable () async -> [JSONValue] = { [] }
    ) {
        (self.service, self.whereabouts) = (service, whereabouts)
    }

    /// The words below `/api/` of the list, and of what is heard.
    private static let (list, heard) = ("device-settings", "heard")

    private static func isAnswered(_ request: LocalRequest) -> Bool {
        request.path.first == "api" && request.path.count > 1 && [list, heard].contains(request.path[1])
    }

    /// Answers a verb.
    ///
    /// - Returns: `nil` for a request that is not about the list of devices.
    package func answer(_ request: LocalRequest) async -> LocalResponse? {
        guard Self.isAnswered(request) else { return nil }
        return await answer(
            request,
            DeviceService.Requester(
                identity: .program(user: request.user.map(SystemUser.name(of:))),
                interface: AdministrationSocket.interface
            )
        )
    }

    /// Answers a request of a user over HTTP.
    ///
    /// - Parameters:
    ///   - caller: Who has signed in, or brings a token.
    ///   - address: Of the other end.
    package func answer(_ request: LocalRequest, by caller: Caller, from address: String?) async
        -> LocalResponse
    {
        guard Self.isAnswered(request) else { return .nothing(request) }
        return await answer(
            request,
            DeviceService.Requester(
                identity: .user(caller),
                address: address,
                interface: WebHub.interface
            )
        )
    }

    private func answer(_ request: LocalRequest, _ requester: DeviceService.Requester) async -> LocalResponse
    {
        do throws(DeviceRefusal) {
            return try await respond(request, requester)
        } catch {
            return error.response
        }
    }

    /// The rows of a verb with where the devices are; users have `/api/devices`, with what they may see.
    private func placed(_ rows: [JSONValue], for requester: DeviceService.Requester) async -> [JSONValue] {
        guard case .program = requester.identity, !rows.isEmpty else { return rows }
        let places = Dictionary(
            await whereabouts().compactMap { place in place["node"]?.string.map { ($0, place) } }
        ) { first, _ in first }
        return rows.map { row in
            guard var members = row.object, let place = members["node"]?.string.flatMap({ places[$0] }) else {
                return row
            }
            for key in ["zone", "nearby", "quality", "last_seen"] { members[key] = place[key] }
            return .object(members)
        }
    }

    private func respond(
        _ request: LocalRequest,
        _ requester: DeviceService.Requester
    ) async throws(DeviceRefusal) -> LocalResponse {
        let words = request.path.dropFirst(2)
        if request.path[1] == Self.heard {
            guard request.method == "GET", words.isEmpty else { return .nothing(request) }
            let seconds = try Self.seconds(request)
            return .json(200, .array(try await service.heardRows(seconds: seconds, by: requester)))
        }
        switch (request.method, words.count) {
        case ("GET", 0):
            return .json(200, .array(await placed(await service.rows(for: requester), for: requester)))
        case ("POST", 0):
            return .json(201, try await service.add(try Self.body(request), by: requester))
        default: break
        }
        guard words.count == 1, let node = words.first else { return .nothing(request) }
        switch request.method {
        case "GET":
            let row = try await service.row(of: node, for: requester)
            return .json(200, await placed([row], for: requester).first ?? row)
        case "PATCH":
            return .json(200, try await service.edit(node, try Self.body(request), by: requester))
        case "DELETE":
            let leavesPlace = try Self.flag("place", request)
            let (isInFile, grants) = try await service.remove(node, leavingPlace: leavesPlace, by: requester)
            return .json(
                200,
                ["node": .string(node), "in_file": .bool(isInFile), "grants": .array(grants)]
            )
        default: return .nothing(request)
        }
    }

    private static func body(_ request: LocalRequest) throws(DeviceRefusal) -> JSONValue {
        guard let value = try? JSONValue(parsing: request.body), value.object != nil else {
            throw .invalid("the body must be an object")
        }
        return value
    }

    private static func flag(_ name: String, _ request: LocalRequest) throws(DeviceRefusal) -> Bool {
        guard let value = request.query[name] else { return false }
        guard value == "1" else { throw .invalid("\(name) must be 1", field: name) }
        return true
    }

    private static func seconds(_ request: LocalRequest) throws(DeviceRefusal) -> Int {
        guard let text = request.query["seconds"] else { return 0 }
        guard let seconds = Int(text), 0...DeviceService.longestWait ~= seconds else {
            throw .invalid(
                "seconds must be a whole number from 0 to \(DeviceService.longestWait) (is \(QuotedValue.of(text)))",
                field: "seconds"
            )
        }
        return seconds
    }
}
