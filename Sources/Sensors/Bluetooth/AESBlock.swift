import CCrypto
package import Positioning

/// AES-128 from libcrypto, which libmosquitto links anyway; the block cipher of Eddystone-EID.
package enum AESBlock {
    package static let cipher: BlockCipher = { key, block in
        var result = CipherBlock.zero
        var length: Int32 = 0
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        let isDone = withUnsafeBytes(of: key) { key in
            withUnsafeBytes(of: block) { block in
                withUnsafeMutableBytes(of: &result) { result in
                    EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, key.baseAddress, nil) == 1
                        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                        && EVP_EncryptUpdate(context, result.baseAddress, &length, block.baseAddress, 16) == 1
                }
            }
        }
        // Every input is valid, so only a broken library gets here.
        precondition(isDone && length == 16, "libcrypto cannot encrypt with AES-128")
        return result
    }
}
