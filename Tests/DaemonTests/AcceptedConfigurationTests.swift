import Daemon
import Foundation
import OperatingSystem
import TestSupport
import Testing

struct AcceptedConfigurationTests {
    private let file = "/etc/trilateral/trilateral.yaml"

    private func accepted(_ version: String, in folder: TemporaryFolder) -> AcceptedConfiguration {
        AcceptedConfiguration(in: folder.path, version: version)
    }

    @Test func `another version finds the text that was accepted last, of the same file only`() async throws {
        try await withTemporaryFolder { folder in
            let old = accepted("1.0", in: folder)
            for text in ["a: 1\n", "b: 2\n# ü accepted /x"] {
                try old.keep(text, of: file)
                #expect(old.ofAnotherVersion(file) == nil)
                let found = try #require(accepted("2.0", in: folder).ofAnotherVersion(file))
                #expect(found.version == "1.0" && found.text == text)
            }
            #expect(accepted("2.0", in: folder).ofAnotherVersion("/etc/other.yaml") == nil)
        }
    }

    @Test func `only the daemon's user can read the copy, and it is not written again without a change`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.path("accepted.yaml")
            try accepted("1.0", in: folder).keep("a: 1", of: file)
            let first = try #require(FileStatus(path: path))
            #expect(first.permissions == 0o600)
            try accepted("1.0", in: folder).keep("a: 1", of: file)
            #expect(FileStatus(path: path)?.identity == first.identity)
            try accepted("2.0", in: folder).keep("a: 1", of: file)
            #expect(accepted("2.0", in: folder).ofAnotherVersion(file) == nil)
        }
    }

    @Test(arguments: [
        "", "# Trilateral", "# Trilateral 1.0 accepted /etc/trilateral/trilateral.yaml", "a: 1\n",
    ])
    func `a copy that is damaged counts as none`(text: String) async throws {
        try await withTemporaryFolder { folder in
            #expect(accepted("2.0", in: folder).ofAnotherVersion(file) == nil)
            try folder.write(text, to: "accepted.yaml")
            #expect(accepted("2.0", in: folder).ofAnotherVersion(file) == nil)
        }
    }
}
