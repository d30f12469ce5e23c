import Bindings
import Foundation
import JSON
import People
import TestSupport
import Things
import Threading

@testable import Web

/// Knows the app A with the key K, bob, a thing and a token for nobody, and records what is asked of it.
final class RecordingThingIF: ThingIFIdentity, ThingIFStates, ThingIFCommands, ThingIFTriggers {
    static let thing = BindingID(high: 0, low: 1)
    static let bob = BindingCaller.user(.user(Users.bob))

    struct Asked: Sendable {
        var callers: [(credentials: ThingIFCredentials, address: String?)] = []
        var onboardings: [(request: OnboardingRequest, caller: BindingCaller, address: String?)] = []
        var tokens: [(request: TokenRequest, credentials: ThingIFCredentials, address: String?)] = []
        var installations: [(request: Installation.Request, caller: BindingCaller)] = []
        var uploads: [(upload: StateUpload, target: TargetName, caller: BindingCaller, address: String?)] = []
        var queries: [(query: HistoryQuery, target: TargetName)] = []
        var commands: [(request: CommandRequest, target: TargetName, caller: BindingCaller)] = []
        var lists: [(limit: Int, key: String?)] = []
        var results: [(command: String, body: JSONValue, caller: BindingCaller)] = []
        /// What is done with triggers: the verb, the trigger and the body.
        var triggers: [(verb: String, id: String, body: JSONObject)] = []
        /// How often anything but who asks.
        var count = 0
    }

    private let record = Locked(Asked())
    /// What is answered to everything but who asks; `nil` for success.
    let failure = Locked<BindingsError?>(nil)
    /// How often a token is still recognised.
    let patience = Locked(Int.max)
    /// Whether the next state is the first.
    let isFirst = Locked(true)
    /// What an onboarding is answered.
    let answer = Locked(
        OnboardingAnswer(thing, isOwned: true, token: "tlt_new", endpoint: nil, ignored: [])
    )

    var asked: Asked { record.withLock { $0 } }

    func result<Value>(
        _ value: Value,
        _ note: (inout Asked) -> Void = { _ in }
    ) -> Result<Value, BindingsError> {
        record.withLock { asked in
            asked.count += 1
            note(&asked)
        }
        return failure.withLock { $0 }.map { .failure($0) } ?? .success(value)
    }

    /// A command that the thing has carried out.
    private static func command(_ id: String) -> JSONObject {
        ThingCommand(
            id,
            of: thing,
            CommandRequest([CommandAction("on", true)], schema: "lamp", schemaVersion: 1, title: "Evening"),
            issuer: .user(Users.bob),
            created: 1_760_000_000_000,
            deadline: 1_760_000_060_000,
            state: .done,
            results: [ActionResult("on", isSucceeded: true)]
        ).json
    }

    // MARK: Who asks

    func caller(
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<BindingCaller, BindingsError> {
        record.withLock { $0.callers.append((credentials, address)) }
        guard app == "A" else { return .failure(.refused(Refusal(.unknownThing, "there is no app \(app)"))) }
        let isRecognised = patience.withLock { patience in
            patience -= 1
            return patience >= 0
        }
        let unknown = BindingsError.refused(Refusal(.unauthenticated, "sign in, or send a token"))
        guard isRecognised else { return .failure(unknown) }
        switch credentials {
        case .bearer("tlu_bob"): return .success(Self.bob)
        case .bearer("tlt_thing"): return .success(.thing(Self.thing))
        case .bearer("tla_nobody"): return .success(.anonymous)
        case .app(id: "A", key: "K"): return .success(.app)
        case .app: return .failure(.refused(Refusal(.notAllowed, "the app's key is wrong")))
        case .bearer, .none: return .failure(unknown)
        }
    }

    // MARK: What is asked for

    func token(
        for request: TokenRequest,
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<IssuedToken, BindingsError> {
        result(IssuedToken("tlu_new", of: "bob-id", seconds: 3600)) {
            $0.tokens.append((request, credentials, address))
        }
    }

    func onboard(
        _ request: OnboardingRequest,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<OnboardingAnswer, BindingsError> {
        result(answer.withLock { $0 }) { $0.onboardings.append((request, caller, address)) }
    }

    private func known(_ id: String) throws -> Installation {
        let body: JSONValue = [
            "installationRegistrationID": "push", "deviceType": "ANDROID", "development": true,
        ]
        return Installation(id, try Installation.Request(body), owner: Users.bob)
    }

    func install(
        _ request: Installation.Request,
        by caller: BindingCaller
    ) async -> Result<Installation, BindingsError> {
        result(Installation("i-1", request, owner: Users.bob)) { $0.installations.append((request, caller)) }
    }

    func installation(
        _ id: String,
        of caller: BindingCaller
    ) async -> Result<Installation, BindingsError> {
        guard id == "i-1", let known = try? known(id) else {
            return .failure(.refused(Refusal(.unknownThing, "there is no installation \(id)")))
        }
        return result(known)
    }

    func uninstall(_ id: String, of caller: BindingCaller) async -> Result<Void, BindingsError> { result(()) }

    func report(
        _ upload: StateUpload,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Bool, BindingsError> {
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        return result(isFirst) { $0.uploads.append((upload, target, caller, address)) }
    }

    func state(of target: TargetName, for caller: BindingCaller) async -> Result<JSONObject, BindingsError> {
        result(["temperature": 21.5])
    }

    func history(
        _ query: HistoryQuery,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        result(["results": []]) { $0.queries.append((query, target)) }
    }

    func give(
        _ request: CommandRequest,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError> {
        result("c-1") { $0.commands.append((request, target, caller)) }
    }

    func commands(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        result(["commands": [.object(Self.command("c-1"))]]) { $0.lists.append((limit, key)) }
    }

    func command(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        result(Self.command(id))
    }

    func answer(
        _ id: String,
        of target: TargetName,
        with results: JSONValue,
        by caller: BindingCaller
    ) async -> Result<Void, BindingsError> {
        result(()) { $0.results.append((id, results, caller)) }
    }
}

// MARK: - A listener with it

/// Requests of programs for Thing-IF.
enum ThingIF {
    static let bob = "Authorization: Bearer tlu_bob"
    static let thing = "Authorization: Bearer tlt_thing"
    static let json = "Content-Type: application/json"

    static func basic(_ id: String, _ key: String) -> String {
        "Authorization: Basic " + Data("\(id):\(key)".utf8).base64EncodedString()
    }

    static func form(_ form: OnboardingForm) -> String { "Content-Type: \(form.contentType)" }

    /// Serves its routes beside the usual ones while the body runs.
    ///
    /// - Parameter isOn: Whether the routes are there.
    static func serve(
        isOn: Bool = true,
        hasPassword: Bool = false,
        proxy: WebPeople.Proxy? = nil,
        configure: (inout WebConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (_ port: Int, _ service: RecordingThingIF) async throws -> Void
    ) async throws {
        let service = RecordingThingIF()
        try await Users.serve(proxy: proxy, hasPassword: hasPassword, configure: configure) { port, node in
            if isOn { node.routes.withLock { $0 += routes(service) } }
            try await body(port, service)
        }
    }

    static func routes(_ service: RecordingThingIF) -> [WebRoute] {
        WebRoute.thingIF(service) + WebRoute.thingIF(states: service) + WebRoute.thingIF(commands: service)
            + WebRoute.thingIF(triggers: service)
    }

    /// The path of each route, with a method that it takes.
    static let calls: [(method: String, path: String)] = [
        ("POST", "/thing-if/apps/A/onboardings"), ("POST", "/api/apps/A/oauth2/token"),
        ("POST", "/api/apps/A/installations"), ("GET", "/api/apps/A/installations/i-1"),
        ("DELETE", "/api/apps/A/installations/i-1"), ("PUT", "\(target)/states"), ("GET", "\(target)/states"),
        ("POST", "\(target)/states/query"), ("POST", "\(target)/commands"), ("GET", "\(target)/commands"),
        ("GET", "\(target)/commands/c-1"), ("PUT", "\(target)/commands/c-1/action-results"),
        ("POST", "\(target)/triggers"), ("GET", "\(target)/triggers"), ("GET", "\(target)/triggers/1"),
        ("PATCH", "\(target)/triggers/1"), ("DELETE", "\(target)/triggers/1"),
        ("PUT", "\(target)/triggers/1/enable"), ("PUT", "\(target)/triggers/1/disable"),
    ]

    static let target = "/thing-if/apps/A/targets/thing:\(RecordingThingIF.thing)"
}

extension WireClient.Reply {
    /// The code of an error that has a message, too.
    var errorCode: String? {
        guard let json = try? JSONValue(parsing: body), json["message"]?.string?.isEmpty == false else {
            return nil
        }
        return json["errorCode"]?.string
    }

    /// The members that an error blames.
    var invalidFields: [String] {
        (try? JSONValue(parsing: body))?["invalidFields"]?.object?.keys ?? []
    }
}
