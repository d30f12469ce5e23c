import Logging
import Sensing
import Testing

struct BluetoothServiceTests {
    @Test func `a missing adapter is a warning for a receiver, which hears nothing without one`() {
        let (level, text) = BluetoothService.absence(isReceiver: true)
        #expect(level == .warning && text.contains("hears nothing until it has one"))
        #expect(!text.contains("other sources"))
    }

    @Test func `a device without an adapter has other sources of beacons`() {
        let (level, text) = BluetoothService.absence(isReceiver: false)
        #expect(level == .info && text.contains("other sources"))
    }
}
