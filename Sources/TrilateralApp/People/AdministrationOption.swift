import Accounts
import Administration
import ArgumentParser
import Controller
import Daemon
import Foundation
import JSON
import Logging
import OperatingSystem
import People
import Sensing

/// Does what the verbs about users ask for: the daemon of the state folder does it, or, if none runs, this program on
/// the folder's database.
struct AdministrationOption: ParsableArguments {
    @OptionGroup var state: StateOption

    /// The owner's name in a folder that no daemon has used yet; see `people.owner`.
    private static let owner = "owner"

    /// Sends a request, and prints nothing.
    ///
    /// - Parameters:
    ///   - makes: Whether folder and database are made if they are missing.
    ///   - needsDaemon: Whether only a daemon that runs can do it.
    ///   - explain: Puts why it was refused into the words of the verb, from the message and the member at fault.
    /// - Returns: The body of the answer.
    /// - Throws: ``VerbError`` if it was refused.
    @discardableResult
    func ask(
        _ method: AccountsRequest.Method,
        _ path: [String],
        query: [String: String?] = [:],
        body: [String: JSONValue?]? = nil,
        makes: Bool = false,
        needsDaemon: Bool = false,
        explaining explain: (_ message: String, _ field: String?) -> String = { message, _ in message }
    ) async throws -> JSONValue {
        let request = AdministrationClient.request(
            method,
            path,
            query: query.compactMapValues(\.self),
            body: body.map { .object(JSONObject($0.compactMapValues(\.self))) }
        )
        let location = try state.location()
        let response: AccountsResponse
        var isStored = false
        do throws(AdministrationClient.Failure) {
            response = try await AdministrationClient(folder: location.path).send(request)
        } catch {
            switch error {
            case .absent where needsDaemon:
                throw VerbError(
                    "no daemon runs with the state folder \(location.path): start it, or name another folder with --state",
                    .unavailable
                )
            case .absent:
                response = try await answer(request, in: location, makes: makes)
                isStored = method != .get
            case .notAllowed:
                throw location.refusal
            case .broken(let reason):
                throw VerbError("the daemon of \(location.path) fails: \(reason)", .unavailable)
            }
        }
        guard (200..<300).contains(response.status) else { throw VerbError(response, explain) }
        if isStored { await location.noteStored() }
        return response.body ?? .null
    }

    /// Makes something, and prints a member of the answer, which names it from then on, and nothing else: for scripts.
    ///
    /// A person at a terminal gets a sentence as well, on standard error.
    ///
    /// - Parameters:
    ///   - lists: Members of the request that are lists of words.
    ///   - sentence: What was made, from the answer and its identifier.
    func add(
        _ kind: String,
        _ texts: [String: String?],
        lists: [String: [String]] = [:],
        printing member: String = "id",
        needsDaemon: Bool = false,
        sentence: (_ answer: JSONValue, _ id: String) -> String
    ) async throws {
        var body: [String: JSONValue?] = texts.mapValues { text in text.map { .string($0) } }
        for (name, words) in lists { body[name] = .array(words.map { .string($0) }) }
        let answer = try await ask(.post, [kind], body: body, makes: !needsDaemon, needsDaemon: needsDaemon)
        let id = ListOption.text(answer["id"] ?? .null)
        do throws(OutputError) {
            try StandardOutput.print(ListOption.text(answer[member] ?? .null))
        } catch {
            // Nobody has seen the token, and nobody can see it again.
            if member == "token" { try await ask(.delete, [kind, id]) }
            throw error
        }
        if let warning = answer["warning"]?.string { StandardError.report("warning: \(warning)") }
        StandardError.tellPerson(sentence(answer, id))
    }

    /// Answers without a daemon.
    private func answer(
        _ request: AccountsRequest,
        in location: StateLocation,
        makes: Bool
    ) async throws -> AccountsResponse {
        if !makes { try location.requireDatabase(makers: "user add makes it, and so does the daemon") }
        let folder = try location.open()
        let store = try folder.opening { try StateStore(folder: folder.url) }
        defer { store.close() }
        let place = try await StoredPlace(store, folder)
        defer { place.close() }
        do throws(StateStoreError) {
            let registry = try store.withAccounts { accounts in
                try accounts.prepare(owner: Self.owner, at: RuntimeClock.now().wallMilliseconds)
                return try AccountsRegistry(
                    accounts,
                    AccountsRegistry.Settings(),
                    clock: { RuntimeClock.now().wallMilliseconds },
                    changed: { _ in }
                )
            }
            let api = AccountsAPI(
                registry,
                place: place.accounts,
                steady: { RuntimeClock.now().steadyMilliseconds }
            )
            let response = await api.answer(request)
            try store.withAccounts { _ in try registry.flush() }
            return response
        } catch {
            throw VerbError(error)
        }
    }
}

extension StateLocation {
    /// Requires a folder with the database of users, so that a verb that only reads or changes makes none.
    ///
    /// - Parameter makers: What makes it, for the message.
    func requireDatabase(makers: String) throws(VerbError) {
        // Only a folder has this name in it.
        for (file, sentence) in [
            ("/.", "there is no state folder \(path): --state names another one"),
            ("/trilateral.db", "there are no users in \(path) yet"),
        ] where access(path + file, F_OK) != 0 {
            guard errno != EACCES else { throw refusal }
            guard errno == ENOENT || errno == ENOTDIR else {
                throw VerbError("\(path) cannot be used: \(systemMessage(errno))", .ioError)
            }
            throw VerbError("\(sentence); \(makers)", .noInput)
        }
    }
}

extension VerbError {
    /// Why a request was refused.
    fileprivate init(
        _ response: AccountsResponse,
        _ explain: (_ message: String, _ field: String?) -> String
    ) {
        let code: ExitCode =
            switch response.status {
            case 400, 413: .dataError
            // Values that are legal, but not with each other, or not with this configuration.
            case 409 where ["invalid_value", "stale_target"].contains(response.body?["error"]?.string):
                .dataError
            case 401: .noPermission
            case 404: .noInput
            case 403, 409: VerbError.taken
            case 429: .temporary
            // The Flare server, or a thing.
            case 502...504 where Self.isSilent(response.body?["error"]?.string): .unavailable
            case 500...: Self.storageCode(response.body?["error"]?.string)
            default: .software
            }
        let message = response.body?["message"]?.string ?? "refused (\(response.status))"
        self.init(explain(message, response.body?["field"]?.string), code)
    }

    /// Whether a code says that somebody else did not answer the daemon, or not as it should.
    private static func isSilent(_ error: String?) -> Bool {
        ["server_unreachable", "server_rejected", "timeout", "thing_offline"].contains(error)
    }

    /// As for the databases that a verb opens itself.
    private static func storageCode(_ error: String?) -> ExitCode {
        switch error {
        case "damaged": .dataError
        case "busy": .temporary
        default: .ioError
        }
    }
}

extension Access: ExpressibleByArgument {}
extension Grouping.Kind: ExpressibleByArgument {}
extension Contact.Channel: ExpressibleByArgument {}
