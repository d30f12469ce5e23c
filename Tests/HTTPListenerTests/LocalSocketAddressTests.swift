import Foundation
import HTTPListener
import TestSupport
import Testing

struct LocalSocketAddressTests {
    private let long = String(repeating: "a long name of a folder ", count: 8)

    @Test func `a long path is reached by a short one, without a file for it elsewhere`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(long)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try folder.write("here", to: long + "/mark")
            let address = try LocalSocketAddress(of: path + "/t.sock")
            defer { address.close() }
            #expect("\(address.folder)/\(address.name)".utf8.count < 107)
            #expect(FileManager.default.contents(atPath: address.folder + "/mark") == Data("here".utf8))
            let links = try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/tmp/\(name)/f")) == path
            }
            #expect(links == [])
        }
    }

    @Test func `the error for a missing folder names the socket`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(long) + "/t.sock"
            #expect(throws: LocalSocketError(path: path, code: ENOENT)) { try LocalSocketAddress(of: path) }
        }
    }
}
