import Flare
import Foundation
import MQTT
import OperatingSystem
import Settings
import TestSupport
import Testing
import Text

/// The small files that the program is given, as editors and other programs leave them.
struct FileContentsTests {
    private func read(_ bytes: [UInt8], upTo limit: Int = 1000) throws -> Result<FileContents, FileError> {
        let folder = try ScratchFolder()
        let path = folder.path + "/file"
        try Data(bytes).write(to: URL(filePath: path))
        return FileContents.read(path, upTo: limit)
    }

    private func problem<Value>(_ result: Result<Value, FileError>) -> FileError? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    @Test(arguments: ["a\nb\n", "a\r\nb", "\u{FEFF}a\nb\n", "", "\u{FEFF}"])
    func `a byte order mark is skipped, and nothing else`(text: String) throws {
        let contents = try read(Array(text.utf8)).get()
        #expect(try contents.text.get() == String(text.trimmingPrefix("\u{FEFF}")))
        #expect(contents.hasMark == text.hasPrefix("\u{FEFF}"))
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x61, 0x00], "is UTF-16 text; store it as UTF-8"),
            ([0xFE, 0xFF, 0x00, 0x61], "is UTF-16 text; store it as UTF-8"),
            ([0x61, 0x00, 0x62], "holds a NUL byte (at byte 1), so it is no text"),
            ([0x61, 0x0A, 0x61, 0xFF], "is not UTF-8 text (line 2, column 2); store it as UTF-8"),
            (Array(repeating: 0x61, count: 1001), "is larger than 1000 bytes"),
        ] as [([UInt8], String)]
    )
    func `what is no text is named`(bytes: [UInt8], message: String) throws {
        let error = try #require(problem(try read(bytes).flatMap(\.text)))
        #expect(error.message == message && error.isAboutContents)
    }

    @Test func `a file that need not be text is read as it is, up to the limit`() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/file"
        try Data([0xFE, 0xFF, 0x00, 0x61]).write(to: URL(filePath: path))
        #expect(try FileContents.readBytes(path, upTo: 4).get() == [0xFE, 0xFF, 0x00, 0x61])
        #expect(problem(FileContents.readBytes(path, upTo: 3))?.message == "is larger than 3 bytes")
    }

    @Test func `a mark between two joined files is named where words are compared`() throws {
        let contents = try read(Array("\u{FEFF}a 1\n\u{FEFF}b 2\n".utf8)).get()
        #expect(problem(contents.words)?.message == "line 2 holds a byte order mark (U+FEFF); remove it")
        #expect(try contents.text.get() == "a 1\n\u{FEFF}b 2\n")
    }

    @Test func `a folder, a missing file and a pipe without a writer are no files`() throws {
        let folder = try ScratchFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, message) in [
            (folder.path, "cannot be read: Is a directory"),
            (folder.path + "/none", "cannot be read: No such file or directory"),
            (pipe, "is a pipe that nobody writes to"), ("/dev/zero", "is larger than 1000 bytes"),
        ] {
            #expect(problem(FileContents.read(path, upTo: 1000))?.message == message, "\(path)")
        }
    }

    @Test(arguments: ["secret", "secret\n", "secret\r\n", "\u{FEFF}secret\r\n"])
    func `a password is the same with and without a mark and an end of line`(text: String) throws {
        let folder = try ScratchFolder()
        let path = try folder.write("password", text)
        #expect(try Secret.load(path).get().secret.reveal() == "secret")
        #expect(try Secret.loadToken(path).get().secret.reveal() == "secret")
    }

    @Test func `a configuration with a mark is read as without`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "\u{FEFF}mqtt:\r\n  host: broker.example\r\n")
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
        #expect(loaded.values.mqtt.host == "broker.example")
    }

    @Test func `a certificate file with a mark is named: its first certificate would not count`() throws {
        let folder = try ScratchFolder()
        let certificate = "\u{FEFF}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let authority = try folder.write("ca.pem", certificate)
        let file = try folder.write("t.yaml", "mqtt: {tls: {enabled: true, ca_file: \(authority)}}")
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
        let problems = ReferencedFiles(loaded, schema: .example).problems
        #expect(
            problems.map(\.message) == ["\(authority) begins with a byte order mark (U+FEFF); remove it"]
        )
    }
}
