/** A program of Spring Boot: what its users write, and no class of ours. */
package shop;
