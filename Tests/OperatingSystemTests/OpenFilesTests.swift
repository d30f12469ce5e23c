import OperatingSystem
import Testing

struct OpenFilesTests {
    @Test func `devices leave files for pages, verbs and databases`() {
        // Measured: a device has six files, and a daemon with its databases and listeners, at rest, 75.
        for limit in [256, 640, 1024, 2048] {
            let devices = OpenFiles.mostDevices(ofLimit: limit)
            #expect(devices >= 0 && 75 + 6 * devices <= limit - 128, "\(limit)")
        }
        #expect(OpenFiles.mostDevices(ofLimit: 1024) >= 100)
        #expect(OpenFiles.mostDevices(ofLimit: 4096) >= 256)
        #expect(OpenFiles.mostDevices(ofLimit: 20) == 0)
    }

    @Test func `the limit that was raised is the one for connections too`() {
        #expect(OpenFiles.raiseLimit() < OpenFiles.raisedLimit())
    }
}
