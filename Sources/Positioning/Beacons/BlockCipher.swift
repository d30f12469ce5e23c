/// A block of AES-128, or its key: sixteen bytes.
package typealias CipherBlock = SIMD16<UInt8>

/// Encrypts one block with AES-128.
///
/// The caller supplies the implementation; modes of operation are built on
/// it here.
package typealias BlockCipher = @Sendable (_ key: CipherBlock, _ block: CipherBlock) -> CipherBlock

extension CipherBlock {
    /// From 32 hexadecimal digits; `nil` for any other text.
    package init?(hexadecimal text: String) {
        guard let uuid = BeaconUUID(text), text.utf8.count == 32 else { return nil }
        self.init(uuid.bytes)
    }
}

/// AES in EAX mode: decrypts, and verifies with a tag that the sender had the key.
/// - Source: M. Bellare, P. Rogaway, D. Wagner, The EAX Mode of Operation, 2004; RFC 4493 for CMAC.
package struct EAXMode {
    private let cipher: (CipherBlock) -> CipherBlock
    /// CMAC subkeys, added to the last block of a message: `full` to a complete block, `padded` to a padded
    /// one.
    private let (full, padded): (CipherBlock, CipherBlock)

    package init(key: CipherBlock, cipher: @escaping BlockCipher) {
        self.cipher = { cipher(key, $0) }
        full = Self.doubled(cipher(key, .zero))
        padded = Self.doubled(full)
    }

    /// The decrypted text; `nil` when it does not match the tag, which may be truncated.
    package func decrypt(_ text: [UInt8], nonce: [UInt8], header: [UInt8] = [], tag: [UInt8]) -> [UInt8]? {
        let start = code(nonce, kind: 0)
        let whole = start ^ code(header, kind: 1) ^ code(text, kind: 2)
        let differences = tag.enumerated().reduce(0) { $0 | ($1.element ^ whole[$1.offset & 15]) }
        guard !tag.isEmpty, tag.count <= 16, differences == 0 else { return nil }
        var counter = start
        var plain: [UInt8] = []
        for (index, byte) in text.enumerated() {
            if index > 0, index % 16 == 0 { Self.increment(&counter) }
            plain.append(byte ^ cipher(counter)[index % 16])
        }
        return plain
    }

    /// CMAC of a block that holds the message's kind, followed by the message.
    private func code(_ message: [UInt8], kind: UInt8) -> CipherBlock {
        var state = CipherBlock.zero
        var block = CipherBlock.zero
        block[15] = kind
        var rest = message[...]
        while !rest.isEmpty {
            state = cipher(state ^ block)
            block = .zero
            for (index, byte) in rest.prefix(16).enumerated() { block[index] = byte }
            if rest.count < 16 {
                block[rest.count] = 0x80
                return cipher(state ^ block ^ padded)
            }
            rest = rest.dropFirst(16)
        }
        return cipher(state ^ block ^ full)
    }

    /// Multiplies by x in GF(2^128).
    private static func doubled(_ block: CipherBlock) -> CipherBlock {
        var result = block &<< 1
        for index in 0..<15 { result[index] |= block[index + 1] >> 7 }
        if block[0] & 0x80 != 0 { result[15] ^= 0x87 }
        return result
    }

    private static func increment(_ counter: inout CipherBlock) {
        for index in stride(from: 15, through: 0, by: -1) {
            counter[index] &+= 1
            if counter[index] != 0 { return }
        }
    }
}
