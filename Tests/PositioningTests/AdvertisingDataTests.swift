import Positioning
import Testing

@Suite struct AdvertisingDataTests {
    @Test func `structures come in order with their types`() {
        let data = AdvertisingData(parsing: [0x02, 0x01, 0x06, 0x03, 0x03, 0xAA, 0xFE, 0x01, 0x09])
        #expect(data.structures.map(\.type) == [0x01, 0x03, 0x09])
        #expect(data.structures.map { Array($0.data) } == [[0x06], [0xAA, 0xFE], []])
        #expect(!data.isDamaged)
    }

    @Test func `a length of zero ends the data and is no error`() {
        let data = AdvertisingData(parsing: [0x02, 0x01, 0x06, 0x00, 0x02, 0x01, 0x1A])
        #expect(data.structures.count == 1)
        #expect(!data.isDamaged)
    }

    @Test func `what stands before a length past the end is kept`() {
        let data = AdvertisingData(parsing: [0x02, 0x01, 0x06, 0x05, 0xFF, 0x4C, 0x00])
        #expect(data.structures.map(\.type) == [0x01])
        #expect(data.isDamaged)
    }

    @Test func `several structures of one type are all there`() {
        let data = AdvertisingData(parsing: [0x02, 0xFF, 0x01, 0x02, 0xFF, 0x02])
        #expect(data.structures.map { Array($0.data) } == [[0x01], [0x02]])
    }

    @Test func `nothing and a lone length are taken`() {
        #expect(AdvertisingData(parsing: []).structures.isEmpty)
        #expect(AdvertisingData(parsing: [0x1F]).isDamaged)
    }

    @Test func `numbers are read in both byte orders and never past the end`() {
        var cursor = ByteCursor([0x01, 0x02, 0x01, 0x02, 0xFF, 0x07])
        #expect(cursor.bigEndian(UInt16.self) == 0x0102)
        #expect(cursor.littleEndian(UInt16.self) == 0x0201)
        #expect(cursor.signedByte() == -1)
        #expect(cursor.bigEndian(UInt32.self) == nil)
        #expect(cursor.take(-1) == nil)
        #expect(cursor.byte() == 7)
        #expect(cursor.byte() == nil)
        #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
        #expect(UInt16(0x0102).littleEndianBytes == [2, 1])
    }
}
