import Positioning
import Sensors
import Testing

@Suite struct AdapterChoiceTests {
    @Test(arguments: [
        ("auto", AdapterChoice.automatic), ("none", .off), ("hci0", .index(0)), ("hci17", .index(17)),
        ("00:1A:7D:DA:71:13", .address(DeviceAddress(bits: 0x001A_7DDA_7113, isRandom: false))),
    ])
    func `an adapter is selected in one of four ways`(_ text: String, _ choice: AdapterChoice) {
        #expect(AdapterChoice(text) == choice)
        #expect(choice.description == text)
        #expect(AdapterChoice(text.lowercased()) == choice)
    }

    @Test(arguments: ["", "0", "hci", "hci-1", "hci100", "hci1x", "hci٣", "usb", "00:1A:7D:DA:71"])
    func `any other text selects no adapter`(_ text: String) {
        #expect(AdapterChoice(text) == nil)
    }
}
