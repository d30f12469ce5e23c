import Positioning
import Testing

@Suite struct AdvertisingDataTests {
    private func parsed(_ payload: [UInt8]) -> (types: [UInt8], data: [[UInt8]], isWhole: Bool) {
        var types: [UInt8] = []
        var data: [[UInt8]] = []
        let isWhole = AdvertisingData.forEachStructure(in: payload.span) { type, bytes in
            types.append(type)
            data.append(bytes.indices.map { bytes[$0] })
        }
        return (types, data, isWhole)
    }

    @Test func `structures come in order with their types`() {
        let found = parsed([0x02, 0x01, 0x06, 0x03, 0x03, 0xAA, 0xFE, 0x01, 0x09])
        #expect(found.types == [0x01, 0x03, 0x09])
        #expect(found.data == [[0x06], [0xAA, 0xFE], []])
        #expect(found.isWhole)
    }

    @Test func `a length of zero ends the data and is no error`() {
        let found = parsed([0x02, 0x01, 0x06, 0x00, 0x02, 0x01, 0x1A])
        #expect(found.types == [0x01])
        #expect(found.isWhole)
    }

    @Test func `structures before a length past the end are kept`() {
        let found = parsed([0x02, 0x01, 0x06, 0x05, 0xFF, 0x4C, 0x00])
        #expect(found.types == [0x01])
        #expect(!found.isWhole)
    }

    @Test func `several structures of one type are all returned`() {
        #expect(parsed([0x02, 0xFF, 0x01, 0x02, 0xFF, 0x02]).data == [[0x01], [0x02]])
    }

    @Test func `an empty payload and a lone length are accepted`() {
        #expect(parsed([]).types.isEmpty && parsed([]).isWhole)
        #expect(!parsed([0x1F]).isWhole)
    }

    @Test func `an extended advertising payload may be 255 bytes long`() {
        let found = parsed([0xFF, 0xFF] + [UInt8](repeating: 7, count: 254) + [2, 1, 6])
        #expect(found.types == [0xFF, 0x01])
        #expect(found.data.map(\.count) == [254, 1])
    }

    @Test func `numbers are read in both byte orders and never past the end`() {
        #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
        #expect(UInt16(0x0102).littleEndianBytes == [2, 1])
        let bytes: [UInt8] = [0xFE, 1, 2, 3, 4, 5, 6, 7, 8]
        let span = bytes.span
        #expect(span.signedByte(at: 0) == -2)
        #expect(span.bigEndian16(at: 1) == 0x0102 && span.littleEndian16(at: 1) == 0x0201)
        #expect(span.bigEndian32(at: 1) == 0x0102_0304)
        #expect(span.bigEndian48(at: 1) == 0x0102_0304_0506 && span.littleEndian48(at: 1) == 0x0605_0403_0201)
        #expect(span.bigEndian64(at: 1) == 0x0102_0304_0506_0708)
    }
}
