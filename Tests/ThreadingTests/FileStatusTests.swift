import Glibc
import Testing
import Threading

/// Files are made by the system's calls, since this module does without Foundation.
@Suite struct FileStatusTests {
    @Test func `a file has its kind, size and permissions, by path and by descriptor`() throws {
        try withFolder { folder in
            let path = folder + "/file"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            #expect(write(descriptor, "four", 4) == 4)
            let status = try #require(FileStatus(path: path))
            #expect(status.kind == .file && status.size == 4 && status.permissions == 0o600)
            #expect(FileStatus(descriptor: descriptor) == status)
            #expect(abs(time(nil) - status.modified.seconds) < 3600)
            #expect(FileStatus(path: folder)?.kind == .folder)
            #expect(FileStatus(path: path + "2") == nil && FileStatus(descriptor: -1) == nil)
        }
    }

    @Test func `a link is followed, or a thing of its own`() throws {
        try withFolder { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            #expect(symlink("pipe", folder + "/link") == 0)
            let pipe = try #require(FileStatus(path: folder + "/pipe"))
            #expect(pipe.kind == .pipe)
            #expect(FileStatus(path: folder + "/link")?.identity == pipe.identity)
            let link = try #require(FileStatus(path: folder + "/link", followsLinks: false))
            #expect(link.kind == .other && link.identity != pipe.identity)
        }
    }

    @Test func `a file that replaces another one under its name is another file`() throws {
        try withFolder { folder in
            #expect(mkfifo(folder + "/a", 0o600) == 0 && mkfifo(folder + "/b", 0o600) == 0)
            let before = FileStatus(path: folder + "/a")
            #expect(rename(folder + "/b", folder + "/a") == 0)
            #expect(FileStatus(path: folder + "/a")?.identity != before?.identity)
        }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        var name = Array("/tmp/trilateral-status-XXXXXX".utf8CString)
        let made = name.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        let folder = try #require(made)
        defer {
            for file in ["file", "pipe", "link", "a", "b"] { unlink(folder + "/" + file) }
            rmdir(folder)
        }
        try body(folder)
    }
}
