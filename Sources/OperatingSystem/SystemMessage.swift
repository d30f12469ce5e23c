import Glibc

/// The system's own words for an error number.
package func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}
