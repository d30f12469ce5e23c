import Flare
import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import Text
import Threading

/// Answers REST requests from the hub.
///
/// A change is committed before it is answered. Requests that crash the original server get status 200 with `null`,
/// an empty body or an error object.
/// - Source: contrib/contract/flare-protocol.md, "2. REST"; "13. Rules for a server and a client".
struct RESTRoutes: HTTPResponder {
    let hub: FlareHub
    let sockets: SocketServer
    let files: PublicFiles?
    /// The size limit of a body, bytes.
    let maximumBodyBytes: Int
    let logger: Logger

    func respond(to sent: Request, context: ChannelContext) async throws -> Response {
        let request = sent.withEffectiveMethod
        let target = RequestTarget(request.head.path ?? "/")
        let peer = context.channel.remoteAddress?.ipAddress
        let visitor = hub.access.visitor(of: request.head, from: peer)
        // The identifier of a session is a secret of the client that opened it.
        let isOfSession =
            target.path == EngineRequest.path && EngineRequest(target: request.head.path ?? "").session != nil
        guard visitor != nil || isOfSession || request.method == .options else {
            return RESTResponse.unidentified(to: request)
        }
        if target.path == EngineRequest.path {
            return try await sockets.respond(to: request, by: visitor, on: context.channel)
        }
        do {
            if let answer = try await answer(to: request, target, visitor) {
                return answer.response(to: request.head, method: request.method)
            }
        } catch is Unidentified {
            return RESTResponse.unidentified(to: request)
        }
        if let response = try await files?.response(to: request) { return response }
        let isStart = target.path == "/" && (request.method == .get || request.method == .head)
        let answer = isStart ? StartPage.response : .notFound(request.method, target.path)
        return answer.response(to: request.head, method: request.method)
    }

    /// `nil` when the path is not part of the REST interface.
    private func answer(
        to request: Request,
        _ target: RequestTarget,
        _ visitor: FlareVisitor?
    ) async throws -> RESTResponse? {
        let method = request.method
        do {
            guard let route = try RESTRoute(path: target.path) else { return nil }
            if method == .options { return .options(route.methods) }
            guard let visitor, route.methods.contains(method) else { return .notFound(method, target.path) }
            guard method == .post || method == .put else {
                guard method == .delete else {
                    return try await read(route, query: target.query, by: visitor, from: hub)
                }
                let answer = try await delete(route, visitor)
                try await hub.waitUntilDurable()
                return answer
            }
            let bytes = try await hub.body(of: request, upTo: maximumBodyBytes, by: visitor)
            let body = try RESTBody.value(of: bytes, request.headers)
            guard !SecretMask.tokens.finds(in: body) else {
                return .problem(.badRequest, FlareHub.misplacedToken)
            }
            let answer =
                try await method == .put
                ? update(route, body, visitor)
                : route.isNotification ? notify(route, body, visitor) : create(route, body, visitor)
            try await hub.waitUntilDurable()
            return answer
        } catch let refusal as RESTRefusal {
            return refusal.answer
        } catch is RESTForm.TooManyParameters {
            return .problem(.contentTooLarge, "the query has more than \(RESTForm.maximumParameters) values")
        } catch let error as FlareSchemaError {
            logger.debug("refused", metadata: ["path": "\(target.path)", "reason": "\(error)"])
            return .json(SecretMask.tokens.masked(error.json))
        } catch let error as FlareHubError {
            return response(to: error)
        }
    }

    /// The response to an error of the hub.
    private func response(to error: FlareHubError) -> RESTResponse {
        let status: HTTPResponse.Status
        switch error {
        case .duplicate(let record):
            let message = "E11000 duplicate key error: \(error)"
            return .json(["code": 11000, "index": 0, "errmsg": .string(message), "op": record.json])
        case .store, .tooManyObjects, .notStored: status = .serviceUnavailable
        case .tooLarge, .tooManyAtOnce: status = .contentTooLarge
        case .notStorable, .notFinite: status = .badRequest
        case .hidden: return .json(.null)
        case .notAllowed(let reason):
            return .json(["name": "NotAllowed", "message": .string(reason)], status: .forbidden)
        case .notDurable:
            return .json(
                ["name": "StoreError", "message": .string("\(error)")],
                status: .serviceUnavailable
            )
        }
        return .json(["name": "StoreError", "message": .string("not changed: \(error)")], status: status)
    }
}

// MARK: - Immediate responses

extension RESTRoutes: ImmediateResponder {
    /// Reads objects if the hub is free; ``respond(to:context:)`` handles all other requests.
    func immediateResponse(to request: HTTPRequest, from peer: String?) -> ImmediateResponse? {
        let (target, method) = (RequestTarget(request.path ?? "/"), request.method)
        guard method == .get || method == .head, let route = try? RESTRoute(path: target.path) else {
            return nil
        }
        guard let visitor = hub.access.visitor(of: request, from: peer) else { return nil }
        let found = try? hub.executor.runIfFree {
            try hub.onExecutor { try read(route, query: target.query, by: visitor, from: $0) }
        }
        guard let found else { return nil }
        let (head, body) = found.message(to: request, method: method)
        return ImmediateResponse(head: head, body: body)
    }
}

// MARK: - Methods

extension RESTRoutes {
    private func read(
        _ route: RESTRoute,
        query: Substring?,
        by visitor: FlareVisitor,
        from hub: isolated FlareHub
    ) throws -> RESTResponse {
        let rights = hub.access.rights(visitor.claim)
        guard rights.reads(route.kind) else {
            let what = route.kind == .device ? "devices" : "all"
            return .json(
                ["name": "NotAllowed", "message": .string("this needs the right to read \(what)")],
                status: .forbidden
            )
        }
        let schema = FlareSchema(route.kind)
        // Who may not read the place sees devices without it; all others get the texts that are ready.
        let isPartial = route.kind == .device && !rights.readsPlace
        func record(_ id: String) throws -> FlareRecord? {
            hub.record(ObjectReference(schema.kind, try schema.identifier(id)))
        }
        func part(of id: String, _ read: (FlareRecord) -> JSONValue?) throws -> RESTResponse {
            .json(try record(id).map(read) ?? .null)
        }
        switch route.place {
        case .list:
            let (environment, zone) = try parents(of: route, schema)
            let isFiltered = !route.isThingsOfEnvironment || hub.dialect == .strict
            let filter = try RESTFilter(
                query: isFiltered ? query : nil,
                for: route.kind,
                dialect: hub.dialect
            )
            if filter.matchesAll, !isPartial {
                return .list(hub.graph.list(route.kind, environment: environment, zone: zone))
            }
            guard filter.isSpatial || isPartial else {
                return .list(
                    hub.graph.texts(route.kind, environment: environment, zone: zone) { filter.matches($0) }
                )
            }
            let records = hub.records(route.kind, environment: environment, zone: zone) { filter.matches($0) }
            return .list(records.map { filter.representation(of: hub.shown($0, to: visitor)).bytes })
        case .object(let id) where isPartial:
            return .json(try record(id).map { hub.shown($0, to: visitor).json } ?? .null)
        case .object(let id):
            let reference = ObjectReference(schema.kind, try schema.identifier(id))
            return hub.graph.text(of: reference).map(RESTResponse.text(json:)) ?? .json(.null)
        case .data(let id): return try part(of: id) { $0.members["data"] }
        case .dataValue(let id, let key): return try part(of: id) { $0.data?[key] }
        case .position(let id): return try part(of: id) { $0.members["position"] ?? [:] }
        }
    }

    /// The parent that limits a list; other ancestors in the path are ignored.
    private func parents(
        of route: RESTRoute,
        _ schema: FlareSchema
    ) throws(FlareSchemaError) -> (environment: FlareID?, zone: FlareID?) {
        if let zone = route.zone { return (nil, try schema.identifier(zone, at: "zone")) }
        guard let environment = route.environment else { return (nil, nil) }
        return (try schema.identifier(environment, at: "environment"), nil)
    }

    private func create(
        _ route: RESTRoute,
        _ body: JSONValue,
        _ visitor: FlareVisitor
    ) async throws -> RESTResponse {
        let schema = FlareSchema(route.kind)
        guard let elements = body.array else {
            let record = try schema.record(from: body, parents: route.parents, makeID: hub.makeID)
            return .json(try await insert([record], from: [body], visitor).first?.json)
        }
        guard !elements.isEmpty else { return .json(nil) }
        guard elements.count <= hub.limits.objectsOfRequest else {
            throw FlareHubError.tooManyAtOnce(elements.count, limit: hub.limits.objectsOfRequest)
        }
        let records = try elements.map {
            try schema.record(from: $0, parents: route.parents, makeID: hub.makeID)
        }
        return .list(try await insert(records, from: elements, visitor).map(\.json.bytes))
    }

    /// - Parameter bodies: What the objects were read from.
    private func insert(
        _ records: [FlareRecord],
        from bodies: [JSONValue],
        _ visitor: FlareVisitor
    ) async throws -> [FlareRecord] {
        let named = zip(records, bodies).filter { $1["_id"].map { !$0.isNull } ?? false }.map(\.0.id)
        let inserted = try await hub.insert(records, named: Set(named), by: visitor)
        return await hub.shown(inserted, to: visitor)
    }

    private func update(
        _ route: RESTRoute,
        _ body: JSONValue,
        _ visitor: FlareVisitor
    ) async throws -> RESTResponse {
        guard case .object(let id) = route.place else { return .json(.null) }
        let schema = FlareSchema(route.kind)
        let reference = ObjectReference(route.kind, try schema.identifier(id))
        let record = try await hub.update(reference, by: visitor) {
            try schema.apply(body, to: &$0)
        }
        guard let record else { return .json(.null) }
        return .json(await hub.shown(record, to: visitor).json)
    }

    private func delete(_ route: RESTRoute, _ visitor: FlareVisitor) async throws -> RESTResponse {
        guard case .object(let id) = route.place else { return .json(.null) }
        let reference = ObjectReference(route.kind, try FlareSchema(route.kind).identifier(id))
        guard let record = try await hub.remove(reference, by: visitor) else {
            return .json(.null)
        }
        return .json(await hub.shown(record, to: visitor).json)
    }
}

extension RESTResponse {
    /// Nobody is identified.
    static func unidentified(to request: Request) -> Response {
        let answer = problem(
            .unauthorized,
            "a valid token is needed here: as Bearer, as password of Basic, or ?access_token="
        )
        var response = answer.response(to: request.head, method: request.method)
        let schemes = [#"Bearer realm="Trilateral""#, #"Basic realm="Trilateral", charset="UTF-8""#]
        for scheme in schemes { response.headers.append(HTTPField(name: .wwwAuthenticate, value: scheme)) }
        return response
    }

    static func notFound(_ method: HTTPRequest.Method, _ path: Substring) -> RESTResponse {
        .problem(.notFound, "Cannot \(method.rawValue) \(path)")
    }
}
