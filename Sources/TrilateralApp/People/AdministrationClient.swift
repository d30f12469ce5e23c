import Administration
import Daemon
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
    }

    /// The state folder.
    let folder: String

    private static let timeoutSeconds = 60
    /// The longest answer, bytes.
    private static let limit = 64 << 20

    /// - Throws: ``Failure``.
    func send(_ request: AccountsRequest) throws(Failure) -> AccountsResponse {
        let descriptor = try connect()
        defer { close(descriptor) }
        let body = request.body?.bytes ?? []
        var head = "\(request.method.rawValue) \(Self.target(request)) HTTP/1.1\r\nHost: localhost\r\n"
        head += "Connection: close\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        try Self.write(Array(head.utf8) + body, to: descriptor)
        return try Self.parse(try Self.read(descriptor))
    }

    /// Whether a daemon has the folder, or one that must not be asked.
    var isAnswered: Bool {
        do throws(Failure) {
            close(try connect())
            return true
        } catch {
            if case .absent = error { return false }
            return true
        }
    }

    private func connect() throws(Failure) -> Int32 {
        let socketPath = (folder.hasSuffix("/") ? folder : folder + "/") + AdministrationSocket.name
        let place: LocalSocketAddress
        do throws(LocalSocketError) {
            place = try LocalSocketAddress(of: socketPath)
        } catch {
            switch error.code {
            case EACCES, EPERM: throw .notAllowed
            case ENOENT, ENOTDIR: throw .absent
            default: throw .broken(error.description)
            }
        }
        defer { place.close() }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .broken(systemMessage(errno)) }
        var limit = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard Self.connect(descriptor, to: place.folder + "/" + place.name) else {
            let code = errno
            close(descriptor)
            switch code {
            case EACCES, EPERM: throw .notAllowed
            case ENOENT, ENOTDIR, ECONNREFUSED, ENOTSOCK: throw .absent
            default: throw .broken(systemMessage(code))
            }
        }
        return descriptor
    }

    private static func connect(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard bytes.count < target.count else { return false }
            target.copyBytes(from: bytes)
            return true
        }
        guard fits else {
            errno = ENAMETOOLONG
            return false
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    // MARK: HTTP

    private static func target(_ request: AccountsRequest) -> String {
        let path = (["api"] + request.path).map(encoded).joined(separator: "/")
        let query = request.query.sorted { $0.key < $1.key }.map { "\(encoded($0.key))=\(encoded($0.value))" }
        return "/" + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// Percent-encoded, save letters, digits and what needs no encoding anywhere.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80,
                CharacterSet.alphanumerics.contains(scalar) || "-._~:".unicodeScalars.contains(scalar)
            {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .broken("it takes no request") }
            rest = rest.dropFirst(count)
        }
    }

    private static func read(_ descriptor: Int32) throws(Failure) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while answer.count < limit {
            let count = Foundation.recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw .broken(
                    errno == EAGAIN ? "it did not answer within \(timeoutSeconds) s" : "it broke off"
                )
            }
            if count == 0 { break }
            answer += buffer.prefix(count)
        }
        return answer
    }

    private static func parse(_ bytes: [UInt8]) throws(Failure) -> AccountsResponse {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            let line = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(
                separatedBy: "\r\n"
            ).first,
            line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3))
        else { throw .broken("its answer is not HTTP") }
        let body = bytes[end.upperBound...]
        guard !body.isEmpty else { return AccountsResponse(status) }
        guard let json = try? JSONValue(parsing: body) else { throw .broken("its answer is not JSON") }
        return AccountsResponse(status, json)
    }
}
