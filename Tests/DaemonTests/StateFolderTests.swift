import Daemon
import Foundation
import TestSupport
import Testing

struct StateFolderTests {
    @Test(
        arguments: [
            (["HOME": "/home/a"], "/home/a/.local/state/trilateral"),
            (["HOME": "/home/a", "XDG_STATE_HOME": "/x"], "/x/trilateral"),
            (["HOME": "/home/a", "XDG_STATE_HOME": "x"], "/home/a/.local/state/trilateral"),
            (["XDG_STATE_HOME": "/x", "STATE_DIRECTORY": "/var/lib/t"], "/var/lib/t"),
            (["STATE_DIRECTORY": "/var/lib/t:/var/lib/u"], "/var/lib/t"),
            (["HOME": "/home/a", "STATE_DIRECTORY": ""], "/home/a/.local/state/trilateral"),
        ] as [([String: String], String)]
    )
    func `systemd's folder counts before the user's`(environment: [String: String], path: String) {
        #expect(StateFolder.standard(environment) == path)
    }

    @Test func `a folder that is missing is made, for its owner alone`() async throws {
        try await withTemporaryFolder { temporary in
            let folder = try StateFolder(named: temporary.path("a/b"), environment: [:])
            #expect(folder.path.hasSuffix("/a/b/"))
            #expect(folder.flareDatabase.hasSuffix("/a/b/flare.db"))
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `the named folder counts before the environment`() async throws {
        try await withTemporaryFolder { temporary in
            let environment = ["STATE_DIRECTORY": temporary.path("system")]
            let named = try StateFolder(named: temporary.path("named"), environment: environment)
            #expect(named.path == temporary.path("named") + "/")
            #expect(!FileManager.default.fileExists(atPath: temporary.path("system")))
            let system = try StateFolder(named: nil, environment: environment)
            #expect(system.path == temporary.path("system") + "/")
        }
    }

    @Test func `an unusable state folder is refused with its path, the reason and advice`() async throws {
        try await withTemporaryFolder { temporary in
            try temporary.write("", to: "file")
            for (path, reason) in [
                (temporary.path("file/below"), "Not a directory"),
                ("/proc/nothing", "No such file or directory"),
            ] {
                let error = #expect(throws: StateFolderError.self) {
                    try StateFolder(named: path, environment: [:])
                }
                #expect(
                    error?.description
                        == "the state folder \(path)/ cannot be used: \(reason); choose another one with --state, or change its owner and permissions"
                )
            }
        }
    }

    @Test(arguments: [(0o700, false), (0o750, false), (0o755, true), (0o701, true)])
    func `a folder into which everybody can look is warned of`(mode: Int, isWarned: Bool) async throws {
        try await withTemporaryFolder { temporary in
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.path)
            let warning = StateFolder.warning(of: temporary.path)
            #expect((warning?.contains("chmod 700 \(temporary.path)") == true) == isWarned)
        }
    }
}
