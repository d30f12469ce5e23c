import Foundation
import HTTPListener
import NIOCore
import TestSupport
import Testing

/// Renewing a listener's certificate, without connections.
@Suite(.timeLimit(.minutes(1)))
struct ListenerTLSTests {
    /// The files of a listener, which tests replace.
    private struct Place {
        let folder: TemporaryFolder
        let old: TestCertificates
        let new: TestCertificates
        var files: ListenerTLSFiles {
            ListenerTLSFiles(certificate: folder.path("live.pem"), key: folder.path("live.key"))
        }

        init(_ folder: TemporaryFolder) async throws {
            self.folder = folder
            old = try await TestCertificates.make(in: folder, name: "old")
            new = try await TestCertificates.make(in: folder, name: "new")
            try install(old.serverCertificate, "live.pem")
            try install(old.serverKey, "live.key")
        }

        /// As certbot does it: a new file takes the name.
        func install(_ source: String, _ name: String) throws {
            let data = try Data(contentsOf: URL(filePath: source))
            try data.write(to: URL(filePath: folder.path(name)), options: .atomic)
        }
    }

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func `a new pair is used from the next look on`() async throws {
        try await withTemporaryFolder { folder in
            let place = try await Place(folder)
            let events = RecordedEvents()
            let tls = try ListenerTLS(place.files, now: start, report: events.add)
            let first = tls.context(at: start + .seconds(2))
            #expect(tls.context(at: start + .seconds(4)) === first)
            try place.install(place.new.serverCertificate, "live.pem")
            try place.install(place.new.serverKey, "live.key")
            #expect(tls.context(at: start + .milliseconds(4900)) === first, "at most one look a second")
            #expect(tls.context(at: start + .seconds(5)) !== first)
            guard case .renewed(let expiry)? = events.all.first else {
                Issue.record("no renewal: \(events.all)")
                return
            }
            #expect(expiry > Int(Date.now.timeIntervalSince1970))
            #expect(events.all.count == 1)
        }
    }

    @Test func `a broken pair is reported once and the last good one stays in use`() async throws {
        try await withTemporaryFolder { folder in
            let place = try await Place(folder)
            let events = RecordedEvents()
            let tls = try ListenerTLS(place.files, now: start, report: events.add)
            let first = tls.context(at: start)
            try place.install(place.new.serverCertificate, "live.pem")
            #expect(tls.context(at: start + .seconds(2)) === first)
            #expect(tls.context(at: start + .seconds(4)) === first)
            let files = place.files
            let text =
                "the key in \(files.key) does not belong to the certificate in \(files.certificate); the previous certificate stays in use"
            #expect(events.all == [.failed(text)])
            try place.install(place.new.serverKey, "live.key")
            #expect(tls.context(at: start + .seconds(6)) !== first)
            #expect(events.all.count == 3)
            #expect(events.all.last == .recovered)
        }
    }

    @Test func `a file that is gone for a moment does no harm`() async throws {
        try await withTemporaryFolder { folder in
            let place = try await Place(folder)
            let events = RecordedEvents()
            let tls = try ListenerTLS(place.files, now: start, report: events.add)
            let first = tls.context(at: start)
            try FileManager.default.removeItem(atPath: place.files.key)
            #expect(tls.context(at: start + .seconds(2)) === first)
            guard case .failed(let text)? = events.all.first else {
                Issue.record("nothing reported")
                return
            }
            #expect(text.hasPrefix("\(place.files.key) cannot be read: No such file or directory"), "\(text)")
        }
    }

    @Test func `an expired certificate is reported when it expires`() async throws {
        try await withTemporaryFolder { folder in
            let place = try await Place(folder)
            let events = RecordedEvents()
            let later = Int(Date.now.timeIntervalSince1970) + 10 * 86_400
            let tls = try ListenerTLS(place.files, now: start, second: { later }, report: events.add)
            _ = tls.context(at: start + .seconds(2))
            guard case .failed(let text)? = events.all.first else {
                Issue.record("nothing reported")
                return
            }
            #expect(text.hasPrefix("\(place.files.certificate): the certificate expired on "), "\(text)")
            #expect(events.all.count == 1)
        }
    }

    @Test(arguments: Unusable.allCases)
    func `files that cannot be used are named with the reason`(case: Unusable) async throws {
        try await withTemporaryFolder { folder in
            let made = try await TestCertificates.make(in: folder, name: "own")
            try folder.write("no PEM at all", to: "text")
            try folder.write("", to: "empty")
            try folder.write(String(repeating: "x", count: (1 << 20) + 1), to: "large")
            let (files, text) = `case`.files(made, folder)
            #expect {
                _ = try files.load()
            } throws: {
                "\($0)".hasPrefix(text)
            }
        }
    }

    enum Unusable: CaseIterable {
        case missing, empty, noCertificate, noKey, encrypted, other, folder, swapped
        case largeCertificate, largeKey

        func files(_ made: TestCertificates, _ folder: TemporaryFolder) -> (ListenerTLSFiles, String) {
            let (certificate, key) = (made.serverCertificate, made.serverKey)
            let (text, empty, gone) = (folder.path("text"), folder.path("empty"), folder.path("gone"))
            let large = folder.path("large")
            let size = "\(large) has 1048577 bytes; at most 1048576 are read"
            func files(_ certificate: String, _ key: String) -> ListenerTLSFiles {
                ListenerTLSFiles(certificate: certificate, key: key)
            }
            return switch self {
            case .missing: (files(gone, key), "\(gone) cannot be read: No such file")
            case .empty: (files(empty, key), "\(empty) holds no valid certificate")
            case .noCertificate: (files(text, key), "\(text) holds no valid certificate")
            case .noKey: (files(certificate, text), "\(text) holds no valid private key")
            case .encrypted:
                (files(certificate, made.clientKeyEncrypted), "\(made.clientKeyEncrypted) is encrypted")
            case .other:
                (files(certificate, made.clientKey), "the key in \(made.clientKey) does not belong to")
            case .folder: (files(folder.path, key), "\(folder.path) cannot be read: Is a directory")
            case .swapped: (files(key, certificate), "\(key) holds no valid certificate")
            case .largeCertificate: (files(large, key), size)
            case .largeKey: (files(certificate, large), size)
            }
        }
    }
}
