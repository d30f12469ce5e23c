import Foundation
import OperatingSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceSupervisorTests {
    private func supervisor(_ variables: [String: String]) -> ServiceSupervisor? {
        ServiceSupervisor(variables, processID: 7)
    }

    @Test func `a message goes to the socket of the supervisor, with or without a file`() async throws {
        try await withTemporaryFolder { folder in
            for name in [folder.path("notify"), "@trilateral-test-\(UUID().uuidString)"] {
                let socket = try NotifySocket(name)
                let supervisor = try #require(self.supervisor(["NOTIFY_SOCKET": name]))
                #expect(supervisor.send([.ready, .status("all is well")]))
                #expect(socket.receive() == ["READY=1", "STATUS=all is well"])
                #expect(supervisor.send([.reloading(since: 12)]) && supervisor.send([.stopping]))
                #expect(socket.receive() == ["RELOADING=1", "MONOTONIC_USEC=12"])
                #expect(socket.receive() == ["STOPPING=1"])
            }
        }
    }

    @Test func `a status of several lines becomes one`() {
        #expect(ServiceSupervisor.Message.status("a\nREADY=1\r\nb").text == "STATUS=a READY=1 b")
    }

    @Test(
        arguments: [
            [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "/"],
            ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 107)],
            ["NOTIFY_SOCKET": "vsock:2:1"],
        ]
    )
    func `without an address that it understands there is no supervisor`(variables: [String: String]) {
        #expect(supervisor(variables) == nil)
    }

    @Test func `nobody at the socket is no crash`() async throws {
        try await withTemporaryFolder { folder in
            let supervisor = try #require(self.supervisor(["NOTIFY_SOCKET": folder.path("nobody")]))
            #expect(!supervisor.send([.ready]))
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["WATCHDOG_USEC": "3000000"], .seconds(3)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], .seconds(3)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "x"], nil),
        ] as [([String: String], Duration?)]
    )
    func `the watchdog is on if it was asked for, and of this process`(
        variables: [String: String],
        timeout: Duration?
    ) throws {
        let supervisor = try #require(self.supervisor(variables.merging(["NOTIFY_SOCKET": "/notify"]) { $1 }))
        #expect(supervisor.watchdogTimeout == timeout)
    }

    @Test func `the monotonic time does not go back`() {
        let first = ServiceSupervisor.monotonicTime
        #expect(first > 0 && ServiceSupervisor.monotonicTime >= first)
    }
}
