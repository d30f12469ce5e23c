import Flare
import JSON
import Testing
import TrilateralApp

struct CalibrationReaderTests {
    private func reader(_ outcome: DriveExchange.Outcome, epoch: String?, isUsed: Bool = true) -> String {
        CalibrationReader(outcome, epoch: epoch, folder: "/state/", isUsed: isUsed, root: "trilateral/a")
            .description
    }

    @Test func `the daemon that keeps its state in the folder is told to use the result`() {
        let text = reader(.state(["epoch": "5"]), epoch: "5")
        #expect(
            text == "the daemon at trilateral/a keeps its state in /state/: it uses the result within seconds"
        )
    }

    @Test(arguments: ["4", nil])
    func `a daemon that keeps its state elsewhere is told not to see the result`(epoch: String?) {
        let text = reader(.state(["epoch": "5"]), epoch: epoch)
        #expect(text.contains("will not see the result") && text.contains("--state"), "\(text)")
    }

    @Test func `without a daemon it is told why, and where the result is kept`() {
        let text = reader(.noBroker("no broker"), epoch: "5")
        #expect(reader(.noBroker("no broker"), epoch: nil) == text)
        #expect(text == "no broker; the result is kept in /state/ for the next start")
        let unused = reader(.noDaemon("none"), epoch: nil, isUsed: false)
        #expect(unused.contains("which no daemon has used yet") && unused.contains("--state"), "\(unused)")
    }
}
