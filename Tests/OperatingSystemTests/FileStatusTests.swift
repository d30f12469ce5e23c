import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite struct FileStatusTests {
    @Test func `a file has its kind, size and permissions, by path and by descriptor`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("file")
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            #expect(write(descriptor, "four", 4) == 4)
            let status = try #require(FileStatus(path: path))
            #expect(status.kind == .file && status.size == 4 && status.permissions == 0o600)
            #expect(FileStatus(descriptor: descriptor) == status)
            #expect(abs(time(nil) - status.modified.seconds) < 3600)
            #expect(FileStatus(path: folder.path)?.kind == .folder)
            #expect(FileStatus(path: path + "2") == nil && FileStatus(descriptor: -1) == nil)
        }
    }

    @Test func `a symbolic link is followed or reported as itself`() async throws {
        try await withTemporaryFolder { folder in
            #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
            #expect(symlink("pipe", folder.path("link")) == 0)
            let pipe = try #require(FileStatus(path: folder.path("pipe")))
            #expect(pipe.kind == .pipe)
            #expect(FileStatus(path: folder.path("link"))?.identity == pipe.identity)
            let link = try #require(FileStatus(path: folder.path("link"), followsLinks: false))
            #expect(link.kind == .other && link.identity != pipe.identity)
        }
    }

    @Test func `a file that replaces another of the same name has another identity`() async throws {
        try await withTemporaryFolder { folder in
            #expect(mkfifo(folder.path("a"), 0o600) == 0 && mkfifo(folder.path("b"), 0o600) == 0)
            let before = FileStatus(path: folder.path("a"))
            #expect(rename(folder.path("b"), folder.path("a")) == 0)
            #expect(FileStatus(path: folder.path("a"))?.identity != before?.identity)
        }
    }
}
