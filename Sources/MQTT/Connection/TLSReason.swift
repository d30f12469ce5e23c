import COpenSSL
import Foundation

/// Why TLS failed, as a sentence that says what to do.
package enum TLSReason {
    /// The errors in this thread's OpenSSL queue.
    static func fromErrorQueue() -> String {
        var text: String?
        while true {
            let error = ERR_get_error()
            guard error != 0 else { break }
            if let known = reason(error) { return known }
            if text == nil, let words = ERR_reason_error_string(error) { text = String(cString: words) }
        }
        return text ?? "the other side ended the handshake"
    }

    /// The errors in lines logged by libmosquitto; `nil` when there are none.
    package static func of(_ lines: [String]) -> String? {
        if let known = errors(in: lines).lazy.compactMap(reason).first { return known }
        return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }

    /// Whether the lines say that the connection was closed without a reason.
    static func isUnexpectedEOF(_ lines: [String]) -> Bool {
        errors(in: lines).contains(where: isUnexpectedEOF)
    }

    private static func errors(in lines: [String]) -> [UInt] {
        lines.compactMap { line in
            let digits = line.components(separatedBy: "error:").dropFirst().first?.prefix { $0.isHexDigit }
            return digits.flatMap { UInt($0, radix: 16) }
        }
    }

    // MARK: The broker's certificate

    /// Why the certificate is not accepted; `nil` when it is.
    ///
    /// - Parameter tls: A connection with a finished handshake.
    static func verificationError(of tls: OpaquePointer, _ configuration: MQTTConfiguration) -> String? {
        guard let certificate = SSL_get1_peer_certificate(tls) else { return "the broker has no certificate" }
        defer { X509_free(certificate) }
        let code = SSL_get_verify_result(tls)
        if code != Int(X509_V_OK) { return verificationError(of: certificate, code) }
        let host = configuration.host
        guard configuration.tls.verifyHostname, X509_check_ip_asc(certificate, host, 0) != 1,
            X509_check_host(certificate, host, host.utf8.count, 0, nil) != 1
        else { return nil }
        let names = name(X509_get_subject_name(certificate)) ?? "another name"
        return "the broker's certificate is for \(names), and not for \(host) (mqtt.host)"
    }

    private static func verificationError(of certificate: OpaquePointer, _ code: Int) -> String {
        switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            let end = time(X509_get0_notAfter(certificate)).map { " (\($0))" } ?? ""
            return "the broker's certificate has expired\(end)"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            let start = time(X509_get0_notBefore(certificate)).map { " (from \($0))" } ?? ""
            return "the broker's certificate is not valid yet\(start); check this machine's clock"
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_CERT_UNTRUSTED:
            let issuer = name(X509_get_issuer_name(certificate)).map { " (\($0))" } ?? ""
            return "the issuer of the broker's certificate is not trusted\(issuer); "
                + "name its authority's file (mqtt.tls.ca_file)"
        default:
            let words = X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "code \(code)"
            return "the broker's certificate is not accepted: \(words)"
        }
    }

    private static func name(_ name: OpaquePointer?) -> String? {
        guard let name else { return nil }
        var text = [CChar](repeating: 0, count: 256)
        guard X509_NAME_get_text_by_NID(name, NID_commonName, &text, Int32(text.count)) > 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> String? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    // MARK: Errors reported by the broker

    /// Whether an OpenSSL error means that the connection was closed without a reason.
    static func isUnexpectedEOF(_ error: UInt) -> Bool {
        number(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING
    }

    /// The meaning of an OpenSSL error for TLS; `nil` for other parts of OpenSSL, whose numbers mean other
    /// things.
    ///
    /// - Source: openssl/err.h, ERR_GET_LIB and ERR_GET_REASON.
    private static func number(_ error: UInt) -> Int32? {
        guard error >> 23 & 0xFF == ERR_LIB_SSL else { return nil }
        return Int32(truncatingIfNeeded: error & 0x7F_FFFF)
    }

    /// - Parameter error: OpenSSL's code; an alert of the peer is 1000 plus its number.
    private static func reason(_ error: UInt) -> String? {
        switch number(error) {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
            return
                "the broker asks for a certificate of ours: set mqtt.tls.certificate_file and mqtt.tls.key_file"
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            return "the broker refuses the handshake; if it asks for a certificate of ours, set "
                + "mqtt.tls.certificate_file and mqtt.tls.key_file"
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
            return "the broker does not trust the issuer of our certificate (mqtt.tls.certificate_file)"
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
            return "the broker refuses our certificate (mqtt.tls.certificate_file): it has expired"
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
            return "the broker refuses our certificate (mqtt.tls.certificate_file): it was revoked"
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
            SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
            return "the broker refuses our certificate (mqtt.tls.certificate_file)"
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_UNSUPPORTED_PROTOCOL:
            return "the broker does not speak a version of TLS that is allowed here"
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST:
            return "the port does not speak TLS; check mqtt.port, which for TLS is mostly 8883"
        default: return nil
        }
    }
}
