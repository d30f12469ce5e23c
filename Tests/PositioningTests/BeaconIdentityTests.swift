import Positioning
import Testing

@Suite struct BeaconIdentityTests {
    private let text = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"

    @Test func `a uuid is read with and without hyphens, in either case`() throws {
        let uuid = try #require(BeaconUUID(text))
        #expect(uuid.description == text)
        #expect(BeaconUUID(text.lowercased()) == uuid)
        #expect(BeaconUUID(text.filter { $0 != "-" }) == uuid)
        #expect(uuid.bytes.prefix(4) == [0x2F, 0x23, 0x44, 0x54])
    }

    @Test(arguments: [
        "", "2F234454", "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA", "2F234454-CF6D-4A0F-ADF2-F4911BA9FFAG",
        "+F234454CF6D4A0F+DF2F4911BA9FFA6", "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA60",
        "é234454CF6D4A0FADF2F4911BA9FFA6",
    ])
    func `any other text is no uuid`(_ text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test func `a namespace abbreviates a uuid in two ways`() throws {
        let uuid = try #require(BeaconUUID(text))
        let fiveAndFive = try #require(EddystoneNamespace("2F234454CF911BA9FFA6"))
        let fourAndSix = try #require(EddystoneNamespace("2f234454f4911ba9ffa6"))
        let other = try #require(EddystoneNamespace("2F234454CF911BA9FFA7"))
        #expect(fiveAndFive.abbreviates(uuid))
        #expect(fourAndSix.abbreviates(uuid))
        #expect(!other.abbreviates(uuid))
        #expect(fiveAndFive.description == "2F234454CF911BA9FFA6")
        #expect(EddystoneNamespace("2F23") == nil)
    }

    @Test func `an address is printed with its first byte first`() {
        #expect(DeviceAddress(bits: 0xC0FF_EE00_0001, isRandom: true).description == "C0:FF:EE:00:00:01")
    }

    @Test func `an address is parsed as it is printed`() {
        let address = DeviceAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
        #expect(DeviceAddress(address.description, isRandom: true) == address)
        #expect(DeviceAddress("c0:ff:ee:00:00:01", isRandom: true) == address)
    }

    @Test(arguments: [
        "", "C0:FF:EE:00:00", "C0:FF:EE:00:00:01:", "C0-FF-EE-00-00-01", "C0:FF:EE:00:0:001",
        "G0:FF:EE:00:00:01", "+1:FF:EE:00:00:01", "-1:FF:EE:00:00:01", "C0FFEE000001",
    ])
    func `any other text is no address`(_ text: String) {
        #expect(DeviceAddress(text) == nil)
    }
}
