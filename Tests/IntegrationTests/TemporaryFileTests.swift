import Foundation
import TestSupport
import Testing

/// What a verb copies in order to read it must not stay behind, however the verb ends.
///
/// The copy does not end here, because the disk never says that it has it.
@Suite(.enabled(if: CCompiler.isExpected), .timeLimit(.minutes(3)))
struct TemporaryFileTests {
    private static let slowDisk = """
        #include <unistd.h>
        int fsync(int descriptor) {
            (void)descriptor;
            for (;;) sleep(1000);
        }
        """

    /// Runs the body with a verb that is copying a database, and expects nothing in the folder for temporary files after it.
    private func whileCopying(
        _ verb: [String],
        shell: String = "true",
        _ body: (ChildProcess) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.slowDisk, to: "disk.c")
            let (library, copies, state) = (folder.path("disk.so"), folder.path("tmp"), folder.path("state"))
            let compiler = try #require(CCompiler.program)
            try await ChildProcess.run(
                compiler,
                ["-shared", "-fPIC", "-o", library, folder.path("disk.c")]
            )
            for path in [copies, state] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try folder.write("no database", to: "state/flare.db")
            let child = try Program.start(
                verb + ["--state", state],
                in: folder,
                keys: ["mqtt.host": "127.0.0.1", "mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"],
                shell: "\(shell); export TMPDIR='\(copies)' LD_PRELOAD='\(library)'",
                output: folder.path("output")
            )
            func copied() throws -> [String] {
                try FileManager.default.subpathsOfDirectory(atPath: copies).filter {
                    $0.hasSuffix("/copy.db")
                }
            }
            #expect(try await eventually { try !copied().isEmpty }, "\(folder.read("output"))")
            do {
                try await body(child)
            } catch {
                await child.destroy()
                throw error
            }
            await child.destroy()
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
        }
    }

    @Test func `a doctor whose time is over leaves no copy of a database`() async throws {
        try await whileCopying(["doctor"]) { #expect(await $0.end(within: .seconds(40)) == 1) }
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func `a verb that a signal ends leaves no copy of a database`(number: Int32) async throws {
        try await whileCopying(["doctor"]) { child in
            child.signal(number)
            #expect(await child.end() == 128 + number)
        }
    }

    @Test func `a signal that is ignored does not end a verb while it copies`() async throws {
        try await whileCopying(["doctor"], shell: "trap '' HUP") { child in
            child.signal(SIGHUP)
            child.signal(SIGTERM)
            #expect(await child.end() == 128 + SIGTERM)
        }
    }
}
