import Foundation
import OperatingSystem
import TestSupport
import Testing

struct AtomicFileTests {
    @Test func `a file is replaced as a whole, with the permissions that are asked for`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("file")
            for text in ["first", "second"] {
                try AtomicFile.write(Array(text.utf8), to: path, permissions: 0o640)
                #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            }
            #expect(FileStatus(path: path)?.permissions == 0o640)
            #expect(try Folder.names(in: folder.path) == ["file"])
        }
    }

    @Test func `what an interrupted attempt left over is removed`() async throws {
        try await withTemporaryFolder { folder in
            let (path, unfinished) = (folder.path("file"), folder.path("file.new"))
            try Data("half".utf8).write(to: URL(filePath: unfinished))
            try AtomicFile.write([0x61], to: path, permissions: 0o600, unfinished: unfinished)
            #expect(try Folder.names(in: folder.path) == ["file"])
        }
    }

    @Test func `a file that cannot be made leaves what was there, and says why`() async throws {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: FileWriteError.self) {
                try AtomicFile.write([0x61], to: folder.path("none/file"), permissions: 0o600)
            }
            #expect(error?.isAboutName == true)
            #expect(error.map { "\($0)" } == "No such file or directory")
            // A folder stands where the file should.
            let taken = #expect(throws: FileWriteError.self) {
                try AtomicFile.write([0x61], to: folder.path, permissions: 0o600)
            }
            #expect(taken?.isAboutName == true && FileStatus(path: folder.path)?.kind == .folder)
        }
    }
}
