import ArgumentParser
import Daemon
import Databases
import FlareServer
import HTTPListener
import Sensors
import Testing
import TrilateralApp

struct DaemonRunnerTests {
    private struct Bug: Error {}

    private static let newer = NewerDatabase(path: "a", steps: ["v2"], known: "v1", program: nil)

    @Test(
        arguments: [
            (HTTPListenerError.portInUse(host: "a", port: 1, setting: "web.listen"), 69),
            (SensorError.cannotRead(file: "a", code: 2, reason: "gone"), 66),
            (SensorError.unsupported(file: "a", problem: "no recording"), 65),
            (SensorError.damaged(file: "a", unit: "line", number: 1, offset: 0, problem: "x"), 65),
            (SensorError.cannotWrite(file: "a", code: 2, reason: "full"), 73),
            (FlareStoreError.inUse(path: "a"), 75),
            (FlareStoreError.newerVersion(newer), 65),
            (FlareStoreError.sqlite(path: "a", code: 13, message: "full"), 74),
            (FlareStoreError.damaged(path: "a", what: "row 1"), 65),
            (FlareStoreError.sqlite(path: "a", code: 11, message: "malformed"), 65),
            (StateStoreError.newerVersion(newer), 65),
            (StateStoreError.database(path: "a", code: 26, message: "none"), 65),
            (StateStoreError.database(path: "a", code: 10, message: "disk I/O error"), 74),
            (StateStoreError.database(path: "a", code: 5, message: "database is locked"), 75),
            (ExitCode(3), 3),
            (Bug(), 70), (UnexpectedEnd(), 70),
        ] as [(any Error & Sendable, Int32)]
    )
    func `what ends a run has its exit code of sysexits`(error: any Error & Sendable, code: Int32) {
        #expect(DaemonRunner.exitCode(error).rawValue == code)
    }
}
