import Administration
import FlareClient
import Foundation
import HTTPListener
import JSON
import OperatingSystem
import People

/// Asks the daemon of a state folder over its socket.
struct AdministrationClient {
    /// Why nobody answers.
    enum Failure: Error {
        /// No daemon listens there.
        case absent
        case notAllowed
        /// It answers in another way than it should, or not at all.
        case broken(String)

        fileprivate init(code: Int32?, _ description: String) {
            switch code {
            case EACCES, EPERM: self = .notAllowed
            case ENOENT, ENOTDIR, ECONNREFUSED, ENOTSOCK: self = .absent
            default: self = .broken(description)
            }
        }
    }

    /// The state folder.
    let folder: String
    /// The name of the socket in it.
    var socket = AdministrationSocket.name

    /// A request by the user who runs this program.
    static func request(
        _ method: AccountsRequest.Method,
        _ path: [String],
        query: [String: String] = [:],
        body: JSONValue? = nil
    ) -> AccountsRequest {
        AccountsRequest(
            method,
            path,
            query: query,
            body: body,
            caller: .nobody,
            interface: AdministrationSocket.interface,
            systemUser: SystemUser.name(of: getuid())
        )
    }

    /// - Parameter seconds: The timeout of the answer.
    /// - Throws: ``Failure``.
    func send(_ request: AccountsRequest, seconds: Int = 60) async throws(Failure) -> AccountsResponse {
        let answer = try await send(
            request.method,
            request.path,
            query: request.query,
            body: request.method == .get ? nil : request.body?.bytes ?? [],
            seconds: seconds
        )
        guard !answer.body.isEmpty else { return AccountsResponse(answer.status) }
        guard let json = try? JSONValue(parsing: answer.body) else { throw .broken("its answer is not JSON") }
        return AccountsResponse(answer.status, json)
    }

    /// - Parameters:
    ///   - path: The words below `/api/`.
    ///   - body: JSON; `nil` for none.
    ///   - seconds: The timeout of the answer.
    /// - Throws: ``Failure``.
    func send(
        _ method: AccountsRequest.Method,
        _ path: [String],
        query: [String: String],
        body: [UInt8]?,
        seconds: Int
    ) async throws(Failure) -> (status: Int, body: [UInt8]) {
        let place: LocalSocketAddress
        do throws(LocalSocketError) {
            place = try LocalSocketAddress(of: (folder.hasSuffix("/") ? folder : folder + "/") + socket)
        } catch {
            throw Failure(code: error.code, error.description)
        }
        defer { place.close() }
        do throws(SingleRequest.Failure) {
            return try await SingleRequest.send(
                Self.target(path, query),
                method: method.rawValue,
                body: body,
                to: place.folder + "/" + place.name,
                seconds: seconds
            )
        } catch {
            throw Failure(code: error.code, error.description)
        }
    }

    /// Whether a daemon has the folder, or one that must not be asked.
    var isAnswered: Bool {
        get async {
            do throws(Failure) {
                _ = try await send(Self.request(.get, []), seconds: 5)
                return true
            } catch {
                if case .absent = error { return false }
                return true
            }
        }
    }

    private static func target(_ words: [String], _ parameters: [String: String]) -> String {
        let path = (["api"] + words).map(encoded).joined(separator: "/")
        let query = parameters.sorted { $0.key < $1.key }.map { "\(encoded($0.key))=\(encoded($0.value))" }
        return "/" + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// Percent-encoded, save letters, digits and what needs no encoding anywhere.
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:"
    )
}
