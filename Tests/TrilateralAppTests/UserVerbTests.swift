import Daemon
import Foundation
import JSON
import Receivers
import TestSupport
import Testing

/// The verbs of `user`: what they send to the daemon, or do themselves without one, and what they print.
@Suite(.timeLimit(.minutes(2))) struct UserVerbTests {
    @Test func `a removal names the devices that are nobody's now`() async throws {
        let removed: JSONValue = ["name": "anna", "devices": ["phone", "watch"]]
        try await withVerbDesk { desk in
            try await desk.withDaemon([
                "DELETE users/anna": .init(200, removed), "DELETE users/bob": .init(204),
            ]) {
                let end = try await desk.run(["user", "rm", "anna"])
                #expect(
                    end.status == 0 && end.output.contains("nobody's now: phone, watch\n"),
                    "\(end.output)"
                )
                let other = try await desk.run(["user", "rm", "bob"])
                #expect(other.status == 0 && other.output.isEmpty, "\(other.output)")
            }
        }
    }

    @Test func `a removal without a daemon knows the devices of the database`() async throws {
        try await withVerbDesk { desk in
            for user in ["anna", "bob"] {
                #expect(try await desk.run(["user", "add", user]).status == 0)
            }
            let store = try StateStore(folder: URL(filePath: desk.state))
            try store.save(DeviceSettings(node: "phone", user: "anna", heardAs: ["phone:anna"]), at: 1)
            store.close()
            let other = try await desk.run(["user", "rm", "bob"])
            #expect(other.status == 0 && !other.output.contains("phone"), "\(other.output)")
            let end = try await desk.run(["user", "rm", "anna"])
            #expect(end.status == 0 && end.output.contains("nobody's now: phone\n"), "\(end.output)")
        }
    }
}
