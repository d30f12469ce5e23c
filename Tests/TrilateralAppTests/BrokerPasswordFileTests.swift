import Glibc
import JSON
import OperatingSystem
import TestSupport
import Testing

/// What `thing expect` adds to the users of the broker.
@Suite(.timeLimit(.minutes(2))) struct BrokerPasswordFileTests {
    @Test func `an expected thing gets a line among the broker's users, and the other lines stay`()
        async throws
    {
        try await withVerbDesk { desk in
            let file = try desk.write("anna:$7$101$a$b", to: "passwords", mode: 0o640)
            try await desk.withDaemon(["POST bindings/expect": .init(200, ["thingPassword": "secret"])]) {
                let expect = ["thing", "expect", "v-1", "--broker-passwords", file]
                let end = try await desk.run(expect)
                #expect(end.status == 0)
                #expect(end.output == "secret\n")
                let lines = desk.folder.read("passwords")
                #expect(lines.hasPrefix("anna:$7$101$a$b\nv-1:$7$101$") && lines.hasSuffix("==\n"))
                #expect(!lines.contains("secret"))
                #expect(FileStatus(path: file)?.permissions == 0o640)
                let again = try await desk.run(expect)
                #expect(again.status == 1)
                #expect(again.output.contains("mosquitto_passwd -D \(file) v-1"), "\(again.output)")
                #expect(desk.folder.read("passwords") == lines)
                #expect(desk.sent.count == 1, "a password that nobody could use must not be made")
            }
        }
    }

    @Test func `a new file of broker users is for its owner alone`() async throws {
        try await withVerbDesk { desk in
            let file = desk.folder.path("passwords")
            try await desk.withDaemon(["POST bindings/expect": .init(200, ["thingPassword": "secret"])]) {
                let end = try await desk.run(["thing", "expect", "v-1", "--broker-passwords", file])
                #expect(end.status == 0, "\(end.output)")
            }
            #expect(FileStatus(path: file)?.permissions == 0o600)
            #expect(desk.folder.read("passwords").hasPrefix("v-1:$7$101$"))
        }
    }

    @Test func `a symbolic link to the broker's users is not followed`() async throws {
        try await withVerbDesk { desk in
            let other = try desk.write("root:x:0:0", to: "other", mode: 0o600)
            for target in [other, desk.folder.path("missing")] {
                let link = desk.folder.path("passwords")
                #expect(symlink(target, link) == 0)
                try await desk.withDaemon(["POST bindings/expect": .init(200, ["thingPassword": "secret"])]) {
                    let end = try await desk.run(["thing", "expect", "v-1", "--broker-passwords", link])
                    #expect(end.status == 73)
                    #expect(end.output.contains("a symbolic link is not followed"), "\(end.output)")
                    #expect(desk.sent.isEmpty, "a password that nobody could use must not be made")
                }
                #expect(unlink(link) == 0)
            }
            #expect(desk.folder.read("other") == "root:x:0:0")
            #expect(FileStatus(path: desk.folder.path("missing")) == nil)
        }
    }

    @Test func `a password is printed even if the broker's file cannot be written`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST bindings/expect": .init(200, ["thingPassword": "secret"])]) {
                let file = desk.folder.path("missing/passwords")
                let end = try await desk.run(["thing", "expect", "v-1", "--broker-passwords", file])
                #expect(end.status == 73)
                #expect(end.output.hasPrefix("secret\ntrilateral thing expect: \(file) cannot be written"))
            }
        }
    }
}
